// A key of POSIX threads leads to the list of a thread's objects. The first keys of a process have room in
// every thread, so that no memory is asked for.
#include "base/per_thread.hpp"

#include <pthread.h>

#include <new>

namespace markeval {
namespace {

extern "C" void destroy_thread_objects(void* first) {
  for (auto* object = static_cast<ThreadObject*>(first); object != nullptr;) {
    const std::unique_ptr<ThreadObject> gone(object);
    object = object->next;
  }
}

pthread_key_t list_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    if (::pthread_key_create(&made, destroy_thread_objects) != 0) throw std::bad_alloc();
    return made;
  }();
  return key;
}

}  // namespace

void keep_for_thread(std::unique_ptr<ThreadObject> object) {
  object->next = static_cast<ThreadObject*>(::pthread_getspecific(list_key()));
  if (::pthread_setspecific(list_key(), object.get()) != 0) throw std::bad_alloc();
  static_cast<void>(object.release());
}

}  // namespace markeval
