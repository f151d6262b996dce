#include "models/hub_client.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/json_reader.hpp"
#include "base/limits.hpp"

namespace markeval::models {
namespace {

using nlohmann::json;
constexpr std::size_t kMaxListing = std::size_t{16} << 20;

/// A file that grows while it is received.
class PartialFile {
 public:
  PartialFile(const std::string& path, std::uint64_t keep) : path_(path) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor_ < 0) throw_io(path_, "write");
    if (ftruncate(descriptor_, static_cast<off_t>(keep)) == 0 && lseek(descriptor_, 0, SEEK_END) >= 0) return;
    const int reason = errno;
    ::close(descriptor_);
    throw_io(path_, "write", reason);
  }
  ~PartialFile() { ::close(descriptor_); }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw_io(path_, "write");
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

std::uint64_t size_of(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

/// The string of that name where it has so many hex digits and nothing else; otherwise "".
std::string digits_in(const json& object, const char* key, std::size_t digits) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  const auto& text = found->get_ref<const std::string&>();
  const bool hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
  return hex && text.size() == digits ? text : std::string();
}

std::optional<HubFile> read_file_entry(const json& entry) {
  if (!entry.is_object() || !entry.contains("rfilename") || !entry["rfilename"].is_string() ||
      !entry.contains("size") || !entry["size"].is_number_unsigned())
    return std::nullopt;
  HubFile file{entry["rfilename"].get<std::string>(), entry["size"].get<std::uint64_t>(), {}, {}};
  if (entry.contains("lfs") && entry["lfs"].is_object()) {
    file.sha256 = digits_in(entry["lfs"], "sha256", 64);  // the git id is that of a pointer to the file
  } else {
    file.blob_id = digits_in(entry, "blobId", 40);
  }
  return file;
}

bool is_temporary(int status) {
  return status == 0 || status == 429 || status >= 500;
}

}  // namespace

HubOptions hub_options_from_environment() {
  HubOptions options;
  if (const auto endpoint = environment("HF_ENDPOINT"); !endpoint.empty()) options.endpoint = endpoint;
  options.token = environment("HF_TOKEN");
  return options;
}

HubClient::HubClient(HubOptions options, const RunContext& context)
    : options_(std::move(options)), context_(context) {
  while (!options_.endpoint.empty() && options_.endpoint.back() == '/') options_.endpoint.pop_back();
  const std::optional<WebAddress> address = parse_address(options_.endpoint);
  if (!address)
    throw_usage("endpoint '" + options_.endpoint + "', expected an address as https://huggingface.co");
  shown_ = address->shown;
  // The end of a file the token was read from.
  std::erase_if(options_.token, [](unsigned char letter) { return letter <= ' ' || letter == 0x7F; });
  if (!options_.token.empty() && !address->encrypted) {
    context_.warn("HF_TOKEN is not sent: " + shown_ + " is not encrypted, expected https://");
    options_.token.clear();
  }
}

WebRequest HubClient::request(const std::string& path) const {
  return {options_.endpoint + path, options_.token, 0, options_.timeout_s};
}

void HubClient::pause(int attempt) const {
  for (int waited = 0; waited < (options_.pause_ms << std::min(attempt, 5)); waited += 50) {
    context_.check_cancelled();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void HubClient::refuse(const WebAnswer& answer, const std::string& repository,
                       const std::string& what) const {
  const std::string status = fmt::format(" (HTTP {})", answer.status);
  const std::string hub_code = answer.header("x-error-code");  // its own word for what is wrong
  if (answer.status == 404 || hub_code == "RepoNotFound") {
    throw_invalid(what + ": not found at " + shown_ + status +
                  (answer.status == 401 ? "; if it is private, set HF_TOKEN" : ""));
  }
  if (answer.status == 401 || answer.status == 403) {
    throw_invalid(what + ": gated or private" + status + ": accept its terms at " + shown_ + "/" +
                  repository + " and set HF_TOKEN to your access token");
  }
  if (answer.status != 0) throw_invalid(what + ": " + shown_ + " answers" + status);
  throw Error(ErrorCode::io, what + ": cannot reach " + shown_ + ": " + answer.problem);
}

HubRevision HubClient::revision(const std::string& repository, const std::string& revision) const {
  const std::string what = repository + " at revision " + revision;
  const WebRequest listing =
      request("/api/models/" + repository + "/revision/" + escape_segment(revision) + "?blobs=true");
  WebAnswer answer;
  std::string body;
  for (int attempt = 0; attempt < std::min(2, options_.attempts); ++attempt) {  // nobody waits long for it
    if (attempt > 0) pause(attempt - 1);
    body.clear();
    answer = web_get(
        listing,
        [&](const WebAnswer& head, std::string_view bytes) {
          if (head.status != 200) return false;  // what is wrong stands in the head
          if (body.size() + bytes.size() > kMaxListing)
            throw_invalid(
                fmt::format("{}: the listing of {} is longer than {} MiB", what, shown_, kMaxListing >> 20));
          body.append(bytes);
          return true;
        },
        context_);
    if (!is_temporary(answer.status)) break;
  }
  if (answer.status != 200) refuse(answer, repository, what);
  const json document = parse_json_object(body, what + ": the listing of " + shown_);
  HubRevision found{digits_in(document, "sha", 40), {}};
  const auto files = document.find("siblings");
  if (found.commit.empty() || files == document.end() || !files->is_array())
    throw_invalid(what + ": " + shown_ + " gives no listing with a commit and its files");
  for (const json& entry : *files) {
    if (auto file = read_file_entry(entry)) found.files.push_back(*std::move(file));
  }
  return found;
}

/// What is missing of the file, as far as it comes.
WebAnswer HubClient::fetch(const std::string& address, const HubFile& file, const std::string& path) const {
  WebRequest rest = request(address);
  rest.offset = size_of(path);
  std::optional<PartialFile> output;
  std::uint64_t received = 0;
  bool misplaced = false;
  WebAnswer answer = web_get(
      rest,
      [&](const WebAnswer& head, std::string_view bytes) {
        if (head.status != 200 && head.status != 206) return false;
        if (!output) {
          received = head.status == 206 ? rest.offset : 0;  // 200: it sends all of it again
          misplaced = head.status == 206 &&
                      !head.header("content-range").starts_with(fmt::format("bytes {}-", rest.offset));
          if (misplaced) return false;
          output.emplace(path, received);
        }
        output->write(bytes);
        received += bytes.size();
        context_.report_progress(file.name, std::min(received, file.size), file.size);
        return received <= file.size;
      },
      context_);
  if (misplaced || answer.status == 416) std::filesystem::remove(path);  // another part: begin again
  return answer;
}

void HubClient::download(const std::string& repository, const std::string& commit, const HubFile& file,
                         const std::string& path) const {
  const std::string what = repository + "/" + file.name;
  std::string address = "/" + repository + "/resolve/" + commit;
  for (const auto& part : std::filesystem::path(file.name)) {
    address += '/';
    address += escape_segment(part.string());
  }
  int idle = 0;  // attempts in a row that brought nothing
  if (size_of(path) > file.size) std::filesystem::remove(path);
  if (file.size == 0) PartialFile(path, 0);
  while (size_of(path) < file.size) {
    context_.check_cancelled();
    const std::uint64_t before = size_of(path);
    const WebAnswer answer = fetch(address, file, path);
    const bool came = answer.status == 200 || answer.status == 206;
    if (!came && answer.status != 416 && !is_temporary(answer.status)) refuse(answer, repository, what);
    const std::uint64_t after = size_of(path);
    idle = after > before ? 0 : idle + 1;
    if (idle >= options_.attempts) {
      if (!came) refuse(answer, repository, what);
      throw Error(ErrorCode::io, fmt::format("{}: {} of {} bytes came; pull again to go on from there", what,
                                             after, file.size));
    }
    if (idle > 0) pause(idle - 1);
  }
  const auto expect = [&](const char* kind, const auto& found, const auto& expected) {
    if (found == expected) return;
    std::filesystem::remove(path);
    throw_invalid(
        fmt::format("{}: {} {}, expected {}; the file was removed, pull again", what, kind, found, expected));
  };
  expect("size", size_of(path), file.size);
  if (!file.sha256.empty()) expect("sha256", sha256_of(OpenFile(path)), file.sha256);
  if (!file.blob_id.empty()) expect("git id", git_blob_id_of_file(path), file.blob_id);
}

}  // namespace markeval::models
