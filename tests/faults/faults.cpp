// Faults on purpose. Loaded before the program (LD_PRELOAD), it makes one call of the system fail, and counts
// the calls. Two variables steer it:
//   MARKEVAL_FAULT=write:17         the 17th write fails, as on a full disk; "write:17+": and all after it
//   MARKEVAL_FAULT=malloc:1/2000    after SIGUSR2 a call fails with this chance, and up to 15 more of its
//   thread MARKEVAL_FAULT_COUNTS=FILE      at the end, FILE gets a line "write 120" for every kind
// Kinds: write (pwrite and writev too), fsync (fdatasync too), rename (linkat too), mmap, malloc (calloc and
// realloc too), thread, open (of files that are written).
//   MARKEVAL_NO_TMPFILE=1           as on a file system that has no files without a name (O_TMPFILE)
//   MARKEVAL_WRITTEN=FILE           FILE gets a line for every path that is opened to be written, made or
//   renamed
// And a power cut. With MARKEVAL_DURABLE=FOLDER, whatever is fsynced is copied there at once: the bytes of a
// file under the number of its inode, and, when a folder is fsynced, the names in it. MARKEVAL_CUT=17 ends
// the process at the 17th call of write, fsync, linkat or rename. What lies in FOLDER then is what a disk
// would have kept.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
}

namespace {

enum Kind { kWrite, kFsync, kRename, kMmap, kMalloc, kThread, kOpen, kKinds };
constexpr const char* kNames[kKinds] = {"write", "fsync", "rename", "mmap", "malloc", "thread", "open"};

std::atomic<long> calls[kKinds];
std::atomic<long> disk_calls;
int failing_kind = -1;
long failing_call = 0;
bool all_after = false;
long chance = 0;  // 1 in so many; 0: none fails by chance
std::atomic<bool> chance_began{false};
thread_local unsigned failing_in_turn = 0;
long cut_at = 0;
std::atomic<bool> ready{false};  // from the start of main() on: what comes before is the loader's business

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Splitmix64 of the number of the call.
bool fails_by_chance(std::uint64_t number) {
  std::uint64_t bits = number * 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  bits ^= bits >> 31;
  if (failing_in_turn == 0 && bits % static_cast<std::uint64_t>(chance) == 0)
    failing_in_turn = 1 + bits / 65536 % 16;
  if (failing_in_turn == 0) return false;
  --failing_in_turn;
  return true;
}

/// Counts the call; whether it is to fail.
bool fails(Kind kind) {
  if (!ready) return false;
  const long number = ++calls[kind];
  if (chance > 0)
    return kind == failing_kind && chance_began && fails_by_chance(static_cast<std::uint64_t>(number));
  return kind == failing_kind && (number == failing_call || (all_after && number > failing_call));
}

void count_disk_call() {
  if (ready && ++disk_calls >= cut_at && cut_at > 0) _exit(77);
}

/// Notes a path the program writes to.
void note(const char* path) {
  static const char* const file = std::getenv("MARKEVAL_WRITTEN");
  if (file == nullptr || !ready || path == nullptr) return;
  ready = false;
  std::FILE* const out = std::fopen(file, "a");
  char folder[4096] = "";
  if (path[0] != '/' && ::getcwd(folder, sizeof folder) == nullptr) folder[0] = '\0';
  std::fprintf(out, "%s%s%s\n", folder, path[0] == '/' ? "" : "/", path);
  std::fclose(out);
  ready = true;
}

const char* durable() {
  static const char* const folder = std::getenv("MARKEVAL_DURABLE");
  return folder;
}

void copy_to(int from, const std::string& path) {
  static auto* const real_write = real<ssize_t(int, const void*, std::size_t)>("write");
  const std::string whole = path + ".new";
  const int to = ::open(whole.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  char block[65536];
  off_t at = 0;
  for (ssize_t got; (got = ::pread(from, block, sizeof block, at)) > 0; at += got)
    if (real_write(to, block, static_cast<std::size_t>(got)) != got) std::abort();
  ::close(to);
  static auto* const real_rename = real<int(const char*, const char*)>("rename");
  real_rename(whole.c_str(), path.c_str());
}

/// What the disk keeps from now on.
void keep(int descriptor) {
  if (durable() == nullptr) return;
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return;
  const std::string inode = std::to_string(status.st_ino);
  if (S_ISREG(status.st_mode)) {
    const std::string self = "/proc/self/fd/" + std::to_string(descriptor);
    const int readable = ::open(self.c_str(), O_RDONLY);
    if (readable >= 0) copy_to(readable, std::string(durable()) + "/bytes." + inode), ::close(readable);
  } else if (S_ISDIR(status.st_mode)) {
    const std::string command = "cd /proc/" + std::to_string(::getpid()) + "/fd/" +
                                std::to_string(descriptor) + " && LD_PRELOAD= ls -1i . > '" + durable() +
                                "/names." + inode + "'; pwd -P > '" + durable() + "/place." + inode + "'";
    if (std::system(command.c_str()) != 0) return;
  }
}

__attribute__((constructor)) void start() {
  if (const char* const told = std::getenv("MARKEVAL_FAULT")) {
    for (int kind = 0; kind < kKinds; ++kind) {
      const std::size_t length = std::strlen(kNames[kind]);
      if (std::strncmp(told, kNames[kind], length) != 0 || told[length] != ':') continue;
      failing_kind = kind;
      failing_call = std::strtol(told + length + 1, nullptr, 10);
      all_after = told[std::strlen(told) - 1] == '+';
      if (const char* const slash = std::strchr(told, '/')) {
        chance = std::strtol(slash + 1, nullptr, 10);
        std::signal(SIGUSR2, [](int) { chance_began = true; });
      }
    }
  }
  if (const char* const told = std::getenv("MARKEVAL_CUT")) cut_at = std::strtol(told, nullptr, 10);
  unsetenv("LD_PRELOAD");  // not for programs started by this one
}

__attribute__((destructor)) void stop() {
  ready = false;
  const char* const path = std::getenv("MARKEVAL_FAULT_COUNTS");
  if (path == nullptr) return;
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return;
  for (int kind = 0; kind < kKinds; ++kind) std::fprintf(file, "%s %ld\n", kNames[kind], calls[kind].load());
  std::fprintf(file, "disk %ld\n", disk_calls.load());
  std::fclose(file);
}

int refuse(int reason) {
  errno = reason;
  return -1;
}

}  // namespace

extern "C" {

int (*real_main)(int, char**, char**) = nullptr;
int counted_main(int count, char** words, char** variables) {
  ready = true;
  return real_main(count, words, variables);
}
int __libc_start_main(int (*main_function)(int, char**, char**), int count, char** words, void (*init)(),
                      void (*fini)(), void (*loader_fini)(), void* stack_end) {
  real_main = main_function;
  return real<int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*)>(
      "__libc_start_main")(counted_main, count, words, init, fini, loader_fini, stack_end);
}

ssize_t write(int descriptor, const void* bytes, std::size_t count) {
  static auto* const next = real<ssize_t(int, const void*, std::size_t)>("write");
  if (descriptor > 2) {
    count_disk_call();
    if (fails(kWrite)) return refuse(ENOSPC);
  }
  return next(descriptor, bytes, count);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  static auto* const next = real<ssize_t(int, const iovec*, int)>("writev");
  if (descriptor > 2) {
    count_disk_call();
    if (fails(kWrite)) return refuse(ENOSPC);
  }
  return next(descriptor, parts, count);
}
ssize_t pwrite64(int descriptor, const void* bytes, std::size_t count, off64_t offset) {
  static auto* const next = real<ssize_t(int, const void*, std::size_t, off64_t)>("pwrite64");
  count_disk_call();
  if (fails(kWrite)) return refuse(ENOSPC);
  return next(descriptor, bytes, count, offset);
}
ssize_t pwrite(int descriptor, const void* bytes, std::size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}
int posix_fallocate(int descriptor, off_t offset, off_t length) {
  static auto* const next = real<int(int, off_t, off_t)>("posix_fallocate");
  if (fails(kWrite)) return ENOSPC;
  return next(descriptor, offset, length);
}
int fsync(int descriptor) {
  static auto* const next = real<int(int)>("fsync");
  count_disk_call();
  if (fails(kFsync)) return refuse(EIO);
  keep(descriptor);
  return durable() != nullptr ? 0 : next(descriptor);
}
int fdatasync(int descriptor) {
  static auto* const next = real<int(int)>("fdatasync");
  count_disk_call();
  if (fails(kFsync)) return refuse(EIO);
  keep(descriptor);
  return durable() != nullptr ? 0 : next(descriptor);
}
int rename(const char* from, const char* to) {
  static auto* const next = real<int(const char*, const char*)>("rename");
  count_disk_call();
  note(to);
  if (fails(kRename)) return refuse(EIO);
  return next(from, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  static auto* const next = real<int(int, const char*, int, const char*, unsigned)>("renameat2");
  count_disk_call();
  note(to);
  if (fails(kRename)) return refuse(EIO);
  return next(from_folder, from, to_folder, to, flags);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static auto* const next = real<int(int, const char*, int, const char*, int)>("linkat");
  count_disk_call();
  note(to);
  if (fails(kRename)) return refuse(EIO);
  return next(from_folder, from, to_folder, to, flags);
}
void* mmap64(void* at, std::size_t length, int protection, int flags, int descriptor, off64_t offset) {
  static auto* const next = real<void*(void*, std::size_t, int, int, int, off64_t)>("mmap64");
  if (fails(kMmap)) return errno = ENOMEM, MAP_FAILED;
  return next(at, length, protection, flags, descriptor, offset);
}
void* mmap(void* at, std::size_t length, int protection, int flags, int descriptor, off_t offset) {
  return mmap64(at, length, protection, flags, descriptor, offset);
}
void* mremap(void* at, std::size_t old_length, std::size_t length, int flags, ...) {
  static auto* const next = real<void*(void*, std::size_t, std::size_t, int, ...)>("mremap");
  if (fails(kMmap)) return errno = ENOMEM, MAP_FAILED;
  return next(at, old_length, length, flags);
}
void* malloc(std::size_t size) {
  if (fails(kMalloc)) return errno = ENOMEM, nullptr;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  if (fails(kMalloc)) return errno = ENOMEM, nullptr;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  if (fails(kMalloc)) return errno = ENOMEM, nullptr;
  return __libc_realloc(memory, size);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start_routine)(void*),
                   void* argument) {
  static auto* const next =
      real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  if (fails(kThread)) return EAGAIN;
  return next(thread, attributes, start_routine, argument);
}
int open64(const char* path, int flags, ...) {
  static auto* const next = real<int(const char*, int, ...)>("open64");
  va_list more;
  va_start(more, flags);
  const unsigned mode = va_arg(more, unsigned);
  va_end(more);
  if ((flags & O_ACCMODE) != O_RDONLY) {
    const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
    static const bool has_nameless = std::getenv("MARKEVAL_NO_TMPFILE") == nullptr;
    if (nameless && !has_nameless) return refuse(EOPNOTSUPP);
    if (!nameless) note(path);
    if (fails(kOpen)) return refuse(ENOSPC);
  }
  return next(path, flags, mode);
}
int mkdir(const char* path, mode_t mode) {
  static auto* const next = real<int(const char*, mode_t)>("mkdir");
  note(path);
  return next(path, mode);
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = va_arg(more, unsigned);
  va_end(more);
  return open64(path, flags, mode);
}
}
