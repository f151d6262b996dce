#include "text/line_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "text/utf8.hpp"

namespace markeval::text {
namespace {

constexpr unsigned kBlockBytes = 1U << 18;

struct CloseGzip {
  void operator()(gzFile_s* file) const { gzclose_r(file); }
};

// zlib passes data through unchanged where it does not start like gzip, so one way of reading serves both.
std::unique_ptr<gzFile_s, CloseGzip> open_input(const std::string& path) {
  const int descriptor = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw_io(path == "-" ? "standard input" : path, "open");
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(descriptor);
    errno = EISDIR;
    throw_io(path, "read");
  }
  std::unique_ptr<gzFile_s, CloseGzip> file(gzdopen(descriptor, "rb"));
  if (!file) {
    close(descriptor);
    errno = ENOMEM;
    throw_io(path, "open");
  }
  gzbuffer(file.get(), kBlockBytes);
  return file;
}

}  // namespace

struct LineReader::State {
  std::string name;
  ReadOptions options;
  std::unique_ptr<gzFile_s, CloseGzip> file;
  std::string buffer;  // bytes [begin, end) are read but not yet given out
  std::size_t begin = 0;
  std::size_t end = 0;
  bool at_end = false;
  bool must_be_gzip = false;
  std::size_t line_number = 0;
  std::size_t replaced = 0;
  std::string repaired;  // the line last returned, where invalid parts had to be replaced

  void fill() {
    if (begin > 0) {
      std::memmove(buffer.data(), buffer.data() + begin, end - begin);
      end -= begin;
      begin = 0;
    }
    if (buffer.size() - end < kBlockBytes) buffer.resize(2 * buffer.size() + kBlockBytes);
    errno = 0;
    const int got = gzread(file.get(), buffer.data() + end, kBlockBytes);
    if (got < static_cast<int>(kBlockBytes)) check_error(got);
    if (must_be_gzip && end == 0 && line_number == 0 && got > 0 && gzdirect(file.get()) != 0) {
      throw_invalid(name + ": not gzip data, expected it from the name");
    }
    at_end = got == 0;
    end += static_cast<std::size_t>(got);
  }

  void check_error(int got) const {
    int code = Z_OK;
    const char* text = gzerror(file.get(), &code);
    if (code == Z_ERRNO) throw_io(name, "read");
    if (code == Z_BUF_ERROR) throw_invalid(name + ": gzip data end too early; the file is cut off");
    if (got < 0) throw_invalid(fmt::format("{}: damaged gzip data: {}", name, text));
  }

  std::string_view checked(std::string_view line) {
    const std::size_t good = valid_prefix(line);
    if (good == line.size()) return line;
    if (!options.replace_invalid) {
      const auto byte = static_cast<unsigned char>(line[good]);
      const bool utf16 = line_number == 1 && good == 0 && line.size() > 1 &&
                         (line.substr(0, 2) == "\xFF\xFE" || line.substr(0, 2) == "\xFE\xFF");
      throw_invalid(fmt::format("{}:{}: invalid UTF-8 at byte {} (0x{:02x}){}", name, line_number, good + 1,
                                byte, utf16 ? "; this looks like UTF-16, expected UTF-8" : ""));
    }
    repaired.clear();
    replaced += append_replacing_invalid(line, repaired);
    return repaired;
  }
};

LineReader::LineReader(const std::string& path, ReadOptions options) : state_(std::make_unique<State>()) {
  state_->name = path == "-" ? "standard input" : path;
  state_->options = options;
  state_->must_be_gzip = path.ends_with(".gz");
  state_->file = open_input(path);
}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

bool LineReader::next(std::string_view& line) {
  State& state = *state_;
  std::size_t searched = 0;
  const char* newline = nullptr;
  while (true) {
    const char* start = state.buffer.data() + state.begin;
    const std::size_t waiting = state.end - state.begin;
    if (waiting > searched) {
      newline = static_cast<const char*>(std::memchr(start + searched, '\n', waiting - searched));
    }
    if (newline != nullptr || state.at_end) break;
    searched = waiting;
    state.fill();
  }
  const char* start = state.buffer.data() + state.begin;
  if (newline == nullptr && state.begin == state.end) return false;
  std::size_t size = newline != nullptr ? static_cast<std::size_t>(newline - start) : state.end - state.begin;
  state.begin += size + (newline != nullptr ? 1 : 0);
  ++state.line_number;
  std::string_view found(start, size);
  if (state.line_number == 1 && found.starts_with("\xEF\xBB\xBF")) {
    found.remove_prefix(3);
    if (newline == nullptr && found.empty()) return false;
  }
  if (found.ends_with('\r')) found.remove_suffix(1);
  line = state.checked(found);
  return true;
}

std::size_t LineReader::line_number() const {
  return state_->line_number;
}
std::size_t LineReader::replaced() const {
  return state_->replaced;
}
const std::string& LineReader::name() const {
  return state_->name;
}

}  // namespace markeval::text
