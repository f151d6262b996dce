#include "embed/hub_client.hpp"

#include <fcntl.h>
#include <httplib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "embed/digest.hpp"
#include "embed/web_address.hpp"

namespace markeval::embed {
namespace {

using nlohmann::json;
constexpr int kMaxRedirects = 10;
constexpr std::size_t kMaxListing = std::size_t{64} << 20;

/// A file that grows while it is received.
class PartialFile {
 public:
  PartialFile(const std::string& path, std::uint64_t keep) : path_(path) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(keep)) != 0 ||
        lseek(descriptor_, 0, SEEK_END) < 0) {
      throw_io(path_, "cannot write");
    }
  }
  ~PartialFile() { ::close(descriptor_); }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  /// 0, or errno. Does not throw: it is called from inside the HTTP library.
  int write(const char* data, std::size_t size) {
    while (size > 0) {
      const ssize_t done = ::write(descriptor_, data, size);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return errno;
      data += done;
      size -= static_cast<std::size_t>(done);
    }
    return 0;
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

std::string reason(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
      return "no connection";
    case httplib::Error::ConnectionTimeout:
      return "no connection in time";
    case httplib::Error::Read:
      return "the connection broke";
    case httplib::Error::SSLServerVerification:
      return "its certificate is not trusted here";
    default:
      return httplib::to_string(error);
  }
}

std::string text_or_empty(const json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string();
}

}  // namespace

struct HubClient::Answer {
  int status = 0;        ///< 0: no answer, or it broke off
  std::string problem;   ///< why
  std::string body;      ///< where no file was asked for
  std::string hub_code;  ///< the hub's own word for what is wrong, as GatedRepo
};

HubOptions hub_options_from_environment() {
  HubOptions options;
  if (const char* endpoint = std::getenv("HF_ENDPOINT"); endpoint != nullptr && *endpoint != '\0') {
    options.endpoint = endpoint;
  }
  if (const char* token = std::getenv("HF_TOKEN"); token != nullptr) options.token = token;
  return options;
}

HubClient::HubClient(HubOptions options, const RunContext& context)
    : options_(std::move(options)), context_(context) {
  while (!options_.endpoint.empty() && options_.endpoint.back() == '/') options_.endpoint.pop_back();
  if (!split_address(options_.endpoint)) {
    throw_usage("endpoint '" + options_.endpoint + "', expected an address as https://huggingface.co");
  }
}

/// One answer, redirects followed. With `path` the body goes there from `offset` on, else into Answer::body.
HubClient::Answer HubClient::get(const std::string& address, const std::string& path, std::uint64_t offset,
                                 const HubFile* file) const {
  std::string current = address;
  const std::string home = split_address(options_.endpoint)->host;
  for (int redirect = 0; redirect <= kMaxRedirects; ++redirect) {
    const std::optional<WebAddress> target = split_address(current);
    if (!target) return {0, "it redirects to '" + current + "'", {}, {}};
    httplib::Client client(target->host);
    client.set_connection_timeout(options_.timeout_s);
    client.set_read_timeout(options_.timeout_s);
    if (const auto proxy = proxy_for(*target)) client.set_proxy(proxy->first, proxy->second);
    httplib::Headers headers{{"User-Agent", "markeval"}, {"Accept-Encoding", "identity"}};
    if (offset > 0) headers.emplace("Range", "bytes=" + std::to_string(offset) + "-");
    if (!options_.token.empty() && target->host == home) {
      headers.emplace("Authorization", "Bearer " + options_.token);
    }

    Answer answer;
    std::optional<PartialFile> output;
    std::uint64_t received = 0;
    int write_error = 0;
    bool cancelled = false, too_large = false, misplaced = false;
    const auto on_head = [&](const httplib::Response& response) {
      answer.status = response.status;
      answer.hub_code = response.get_header_value("X-Error-Code");
      received = response.status == 206 ? offset : 0;  // 200: it sends all of it again
      const std::string range = response.get_header_value("Content-Range");
      misplaced = response.status == 206 && range.rfind("bytes " + std::to_string(offset) + "-", 0) != 0;
      return !misplaced;
    };
    const auto on_body = [&](const char* data, std::size_t size) {
      if (context_.cancel != nullptr && context_.cancel->load()) return !(cancelled = true);
      const bool wanted = answer.status == 200 || answer.status == 206;
      if (path.empty() || !wanted) {
        if (answer.body.size() + size > kMaxListing) return !(too_large = true);
        answer.body.append(data, size);
        return true;
      }
      if (!output) output.emplace(path, received);
      write_error = output->write(data, size);
      received += size;
      if (write_error == 0) context_.report_progress(file->name, std::min(received, file->size), file->size);
      return write_error == 0 && received <= file->size;
    };
    const auto result = client.Get(target->path, headers, on_head, on_body);
    if (cancelled) throw Error(ErrorCode::cancelled, "stopped on request");
    if (write_error != 0) {
      errno = write_error;
      throw_io(path, "cannot write");
    }
    if (misplaced) return {416, {}, {}, {}};  // another part than asked for: begin again
    if (too_large) return {0, "its answer is longer than 64 MiB", {}, {}};
    const bool longer = file != nullptr && received > file->size;
    if (!result && !longer) {
      answer.problem = reason(result.error());
      answer.status = 0;
      return answer;
    }
    if (!longer && answer.status >= 300 && answer.status < 400 && result->has_header("Location")) {
      const std::string location = result->get_header_value("Location");
      current = location.rfind('/', 0) == 0 ? target->host + location : location;
      continue;
    }
    return answer;
  }
  return {0, "it redirects more than " + std::to_string(kMaxRedirects) + " times", {}, {}};
}

void HubClient::pause(int attempt) const {
  for (int waited = 0; waited < (options_.pause_ms << std::min(attempt, 5)); waited += 50) {
    context_.check_cancelled();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void HubClient::refuse(const Answer& answer, const std::string& repository, const std::string& what) const {
  const std::string status = " (HTTP " + std::to_string(answer.status) + ")";
  if (answer.status == 404 || answer.hub_code == "RepoNotFound") {
    const bool token_matters = answer.status == 401;
    throw_invalid(what + ": not found at " + options_.endpoint + status +
                  (token_matters ? "; if it is private, set HF_TOKEN" : ""));
  }
  if (answer.status == 401 || answer.status == 403) {
    throw_invalid(what + ": gated or private" + status + ": accept its terms at " + options_.endpoint + "/" +
                  repository + " and set HF_TOKEN to your access token");
  }
  if (answer.status != 0) throw_invalid(what + ": " + options_.endpoint + " answers" + status);
  throw Error(ErrorCode::io, what + ": cannot reach " + options_.endpoint + ": " + answer.problem);
}

HubRevision HubClient::revision(const std::string& repository, const std::string& revision) const {
  const std::string what = repository + " at revision " + revision;
  const std::string address = options_.endpoint + "/api/models/" + repository + "/revision/" +
                              escape_segment(revision) + "?blobs=true";
  Answer answer;
  for (int attempt = 0; attempt < std::min(2, options_.attempts);
       ++attempt) {  // nobody waits long for a first answer
    if (attempt > 0) pause(attempt - 1);
    answer = get(address, "", 0, nullptr);
    if (answer.status != 0 && answer.status != 429 && answer.status < 500) break;
  }
  if (answer.status != 200) refuse(answer, repository, what);
  const json document = json::parse(answer.body, nullptr, false);
  HubRevision found;
  if (document.is_object()) found.commit = text_or_empty(document, "sha");
  const bool hex = found.commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (found.commit.size() != 40 || !hex || !document.contains("siblings") ||
      !document["siblings"].is_array()) {
    throw_invalid(what + ": " + options_.endpoint + " gives no listing with a commit and its files");
  }
  for (const json& entry : document["siblings"]) {
    HubFile file{text_or_empty(entry, "rfilename"), 0, {}, text_or_empty(entry, "blobId")};
    if (file.name.empty() || !entry.contains("size") || !entry["size"].is_number_unsigned()) continue;
    file.size = entry["size"].get<std::uint64_t>();
    if (entry.contains("lfs") && entry["lfs"].is_object()) {
      file.sha256 = text_or_empty(entry["lfs"], "sha256");
      file.blob_id.clear();  // that of a pointer file
    }
    found.files.push_back(std::move(file));
  }
  return found;
}

void HubClient::download(const std::string& repository, const std::string& commit, const HubFile& file,
                         const std::string& path) const {
  const std::string what = repository + "/" + file.name;
  const std::string address =
      options_.endpoint + "/" + repository + "/resolve/" + commit + "/" + escape_path(file.name);
  int idle = 0;  // attempts in a row that brought nothing
  while (true) {
    context_.check_cancelled();
    const std::uint64_t before = size_of(path);
    if (before == file.size && (file.size > 0 || std::filesystem::exists(path))) break;
    if (before > file.size) std::filesystem::remove(path);
    if (file.size == 0) PartialFile(path, 0);
    const Answer answer = get(address, path, size_of(path), &file);
    if (answer.status == 416) std::filesystem::remove(path);
    const bool worth_again = answer.status == 0 || answer.status == 200 || answer.status == 206 ||
                             answer.status == 416 || answer.status == 429 || answer.status >= 500;
    if (!worth_again) refuse(answer, repository, what);
    const std::uint64_t after = size_of(path);
    if (after == file.size) break;
    if (after > file.size) break;  // told apart below
    idle = after > before ? 0 : idle + 1;
    if (idle >= options_.attempts) {
      if (answer.status != 200 && answer.status != 206) refuse(answer, repository, what);
      throw Error(ErrorCode::io, what + ": " + std::to_string(after) + " of " + std::to_string(file.size) +
                                     " bytes came; pull again to go on from there");
    }
    if (idle > 0) pause(idle - 1);
  }
  const auto wrong = [&](const std::string& found, const std::string& expected) {
    std::filesystem::remove(path);
    throw_invalid(what + ": " + found + ", expected " + expected + "; the file was removed, pull again");
  };
  if (const auto size = size_of(path); size != file.size) {
    wrong(std::to_string(size) + " bytes", std::to_string(file.size));
  }
  if (!file.sha256.empty()) {
    if (const auto found = sha256_of_file(path); found != file.sha256) wrong("sha256 " + found, file.sha256);
  } else if (!file.blob_id.empty()) {
    if (const auto found = git_blob_id_of_file(path); found != file.blob_id)
      wrong("git id " + found, file.blob_id);
  }
}

}  // namespace markeval::embed
