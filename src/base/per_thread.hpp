// One object for each thread, made at its first use and destroyed where the thread ends:
//   thread_local PerThread<Rows> rows;
//   rows->clear();
// A thread_local object with a destructor of its own is no choice: the C library asks for memory to keep the
// destructor in mind, and ends the program where there is none. This one throws std::bad_alloc.
#pragma once

#include <memory>

namespace markeval {

struct ThreadObject {
  ThreadObject() = default;
  ThreadObject(const ThreadObject&) = delete;
  ThreadObject& operator=(const ThreadObject&) = delete;
  virtual ~ThreadObject() = default;
  ThreadObject* next = nullptr;
};

/// Destroyed where this thread ends; the main thread's live as long as the process.
void keep_for_thread(std::unique_ptr<ThreadObject> object);

template <typename T>
class PerThread {
 public:
  T& operator*() {
    if (object_ == nullptr) make();
    return *object_;
  }
  T* operator->() { return &**this; }

 private:
  struct Holder final : ThreadObject {
    T object{};
  };
  void make() {
    auto holder = std::make_unique<Holder>();
    T* const made = &holder->object;
    keep_for_thread(std::move(holder));
    object_ = made;
  }
  T* object_ = nullptr;
};

}  // namespace markeval
