// Reading by poll and read, so that waiting for a pipe can be cancelled; gzip by zlib, member after member.
#include "base/input_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <vector>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/open_file.hpp"

namespace markeval {
namespace {

constexpr std::size_t kPackedBytes = std::size_t{1} << 16;
constexpr int kLookForCancelMs = 100;
constexpr std::size_t kLargestPart = std::size_t{1} << 26;  // so that a read can be stopped

/// Opening a pipe does not wait for its writer: State::wait_for_input does, and can be stopped.
Descriptor open_descriptor(const std::string& path, const std::string& name) {
  const bool standard_input = path == "-";
  Descriptor file(standard_input ? dup(STDIN_FILENO)
                                 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) throw_io(name, "open");
  struct stat status {};
  if (fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) throw_io(name, "read", EISDIR);
  if (!standard_input) fcntl(file.get(), F_SETFL, O_RDONLY);
  return file;
}

using StreamIdentity = std::pair<dev_t, ino_t>;

/// Nothing for a file or a folder, and where nothing can be told.
std::optional<StreamIdentity> stream_identity(const std::string& path) {
  struct stat status {};
  const bool standard_input = path == "-";
  if ((standard_input ? fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) != 0)
    return std::nullopt;
  if (!standard_input && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) return std::nullopt;
  return StreamIdentity{status.st_dev, status.st_ino};
}

}  // namespace

std::string input_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

bool is_stream(const std::string& path) {
  return path == "-" || stream_identity(path).has_value();
}

void require_streams_once(std::span<const std::string> paths) {
  std::map<StreamIdentity, std::size_t> counts;
  for (const std::string& path : paths) {
    if (const auto identity = stream_identity(path)) ++counts[*identity];
  }
  for (const std::string& path : paths) {
    const auto identity = stream_identity(path);
    const std::size_t count = identity ? counts[*identity] : 0;
    if (count < 2) continue;
    throw_usage(fmt::format("{} can be read once, but {} inputs come from it: write it to a file first",
                            input_name(path), count));
  }
}

struct InputBytes::State {
  explicit State(const std::string& path)
      : name(input_name(path)),
        must_be_gzip(path.ends_with(".gz")),
        descriptor(open_descriptor(path, name)),
        most_unpacked(limit_of(Limit::unpacked_bytes)),
        before(identity_of(descriptor.get())) {}
  ~State() {
    if (is_gzip) inflateEnd(&stream);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// A pipe may let wait for ever: the user must be able to stop that.
  void wait_for_input() const {
    if (before) return;
    while (true) {
      pollfd source{descriptor.get(), POLLIN, 0};
      const int found = ::poll(&source, 1, cancel_flag() != nullptr ? kLookForCancelMs : -1);
      check_cancelled();
      if (found > 0 || (found < 0 && errno != EINTR)) return;
    }
  }

  std::size_t read_file(std::span<char> out) const {
    check_cancelled();
    wait_for_input();
    while (true) {
      const ssize_t count = ::read(descriptor.get(), out.data(), std::min(out.size(), kLargestPart));
      if (count == 0 && before) require_unchanged(descriptor.get(), *before, name);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw_io(name, "read");
    }
  }

  std::size_t waiting() const { return end - begin; }

  /// Reads until `count` bytes wait or the file ends; says whether they do.
  bool wait_for(std::size_t count) {
    if (waiting() >= count) return true;
    packed.resize(kPackedBytes);
    std::memmove(packed.data(), packed.data() + begin, waiting());
    end = waiting();
    begin = 0;
    while (waiting() < count) {
      const std::size_t got = read_file(std::span(packed).subspan(end));
      if (got == 0) return false;
      end += got;
    }
    return true;
  }

  bool starts_like_gzip() {
    return wait_for(2) && static_cast<unsigned char>(packed[begin]) == 0x1f &&
           static_cast<unsigned char>(packed[begin + 1]) == 0x8b;
  }

  /// Whether the input ends within the first two bytes of a gzip member.
  bool ends_in_gzip_start() {
    return !wait_for(2) && (waiting() == 0 || static_cast<unsigned char>(packed[begin]) == 0x1f);
  }

  void look_at_start() {
    started = true;
    if (starts_like_gzip()) {
      if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
      is_gzip = true;
      in_member = true;
    } else if (must_be_gzip) {
      if (ends_in_gzip_start()) cut_off();
      throw_invalid(name + ": not gzip data, expected it from the name");
    }
  }

  [[noreturn]] void cut_off() const {
    throw_invalid(name + ": gzip data end too early; the file is cut off");
  }

  /// After a member: another one, or nothing.
  bool next_member() {
    if (!wait_for(1)) return false;
    if (ends_in_gzip_start()) cut_off();
    if (!starts_like_gzip()) throw_invalid(name + ": something else follows the gzip data");
    if (inflateReset(&stream) != Z_OK) throw std::bad_alloc();
    return true;
  }

  std::size_t unpack(std::span<char> out) {
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(std::min(out.size(), kLargestPart));
    const std::size_t room = stream.avail_out;
    check_cancelled();
    while (stream.avail_out == room) {
      if (!in_member) {
        if (!next_member()) return 0;
        in_member = true;
      }
      if (!wait_for(1)) cut_off();
      stream.next_in = reinterpret_cast<Bytef*>(packed.data() + begin);
      stream.avail_in = static_cast<uInt>(waiting());
      const int status = inflate(&stream, Z_NO_FLUSH);
      begin = end - stream.avail_in;
      if (status == Z_STREAM_END) {
        in_member = false;
      } else if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (status != Z_OK) {
        throw_invalid(fmt::format("{}: damaged gzip data: {}", name,
                                  stream.msg != nullptr ? stream.msg : "no way to go on"));
      }
    }
    unpacked += room - stream.avail_out;
    if (unpacked > most_unpacked) throw_beyond(Limit::unpacked_bytes, name + ": unpacked");
    return room - stream.avail_out;
  }

  std::size_t read(std::span<char> out) {
    if (!started) look_at_start();
    if (is_gzip) return unpack(out);
    if (waiting() == 0) return read_file(out);
    const std::size_t count = std::min(out.size(), waiting());
    std::memcpy(out.data(), packed.data() + begin, count);
    begin += count;
    return count;
  }

  std::string name;
  bool must_be_gzip;
  Descriptor descriptor;
  std::uint64_t most_unpacked, unpacked = 0;
  std::optional<FileIdentity> before;  // of an ordinary file: what was read is all of one state
  bool started = false, is_gzip = false, in_member = false;
  z_stream stream{};
  std::vector<char> packed;  // bytes [begin, end) are read from the file and not yet used
  std::size_t begin = 0, end = 0;
};

InputBytes::InputBytes(const std::string& path) : state_(std::make_unique<State>(path)) {}
InputBytes::~InputBytes() = default;
InputBytes::InputBytes(InputBytes&&) noexcept = default;
InputBytes& InputBytes::operator=(InputBytes&&) noexcept = default;

std::size_t InputBytes::read(std::span<char> out) {
  return state_->read(out);
}

const std::string& InputBytes::name() const {
  return state_->name;
}

}  // namespace markeval
