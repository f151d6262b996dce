// Requests to the hub's API, repeats after temporary errors, and the message for each kind of refusal.
#include "models/hub_client.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <thread>

#include "base/descriptor.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/limits.hpp"
#include "base/paths.hpp"

namespace markeval::models {
namespace {

using nlohmann::json;
constexpr std::size_t kMaxListing = std::size_t{16} << 20;

/// The string of that name where it has so many hex digits and nothing else; otherwise "".
std::string digits_in(const json& object, const char* key, std::size_t digits) {
  std::string text = text_in(object, key);
  return is_hex(text, digits) ? text : std::string();
}

bool is_temporary(const WebAnswer& answer) {
  return answer.may_change && (answer.status == 0 || answer.status == 429 || answer.status >= 500);
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
  if (!options_.token.empty() && !address->encrypted)  // web_get() does not send it then
    context_.warn("HF_TOKEN is not sent: " + shown_ + " is not encrypted, expected https://");
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
  if (answer.status == 404 || answer.error_code == "RepoNotFound") {
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

ModelOrigin HubClient::revision(const std::string& repository, const std::string& revision) const {
  const std::string what = repository + " at revision " + revision;
  const WebRequest listing =
      request("/api/models/" + repository + "/revision/" + escape_segment(revision) + "?blobs=true");
  WebAnswer answer;
  std::string body;
  for (int attempt = 0; attempt < std::min(2, options_.attempts); ++attempt) {  // nobody waits long for it
    if (attempt > 0) pause(attempt - 1);
    body.clear();
    const auto take = [&](std::string_view bytes) {
      if (body.size() + bytes.size() > kMaxListing)
        throw_invalid(
            fmt::format("{}: the listing of {} is longer than {} MiB", what, shown_, kMaxListing >> 20));
      body.append(bytes);
      return true;
    };
    answer = web_get(listing, take, context_);
    if (!is_temporary(answer)) break;
  }
  if (answer.status != 200) refuse(answer, repository, what);
  const json document = parse_json_object(body, what + ": the listing of " + shown_);
  ModelOrigin origin{repository, digits_in(document, "sha", 40), shown_, {}};
  const auto files = document.find("siblings");
  if (origin.revision.empty() || files == document.end() || !files->is_array())
    throw_invalid(what + ": " + shown_ + " gives no listing with a commit and its files");
  for (const json& entry : *files) {
    const auto size = entry.find("size");
    if (size == entry.end() || !size->is_number_unsigned()) continue;
    HubFile file{text_in(entry, "rfilename"), size->get<std::uint64_t>()};
    if (const auto lfs = entry.find("lfs"); lfs != entry.end() && lfs->is_object()) {
      file.sha256 = digits_in(*lfs, "sha256", 64);  // the git id is that of a pointer to the file
    } else {
      file.blob_id = digits_in(entry, "blobId", 40);
    }
    origin.files.push_back(std::move(file));
  }
  return origin;
}

void HubClient::download(const std::string& repository, const std::string& commit, const HubFile& file,
                         const std::string& path) const {
  const std::string what = repository + "/" + file.name;
  WebRequest rest = request("/" + repository + "/resolve/" + commit);
  for (const auto& part : std::filesystem::path(file.name))
    rest.address += "/" + escape_segment(part.string());
  const Descriptor output(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
  const off_t found = output ? ::lseek(output.get(), 0, SEEK_END) : -1;
  if (found < 0) throw_io(path, "write");
  auto have = static_cast<std::uint64_t>(found), most = have;
  const auto begin_again = [&] {
    if (::ftruncate(output.get(), 0) != 0) throw_io(path, "write");
    have = 0;
  };
  const auto take = [&](std::string_view bytes) {
    write_all(output, std::as_bytes(std::span(bytes)), path);
    have += bytes.size();
    context_.report_progress(file.name, std::min(have, file.size), file.size);
    return have <= file.size;
  };
  if (have > file.size) begin_again();
  bool ended = false;  // a whole answer came to its end, with fewer bytes than the listing has
  std::string problem;
  for (int idle = 0; have < file.size;) {  // attempts in a row after which we had no more than ever
    context_.check_cancelled();
    rest.offset = have;
    const WebAnswer answer = web_get(rest, take, context_);
    const bool came = answer.status == 200 || answer.status == 206, elsewhere = answer.status == 416;
    if (elsewhere) begin_again();  // no more bytes than came, or another part: the whole comes next
    ended = ended || came;
    if (answer.status == 0) problem = answer.problem;
    if (!came && !elsewhere && !is_temporary(answer)) refuse(answer, repository, what);
    idle = have > most ? 0 : idle + 1;
    most = std::max(most, have);
    if (idle >= options_.attempts) {
      if (ended)
        throw Error(ErrorCode::io, fmt::format("{}: {} has {} bytes of it, its listing says {}", what, shown_,
                                               most, file.size));
      if (problem.empty() || most == 0) refuse(answer, repository, what);
      throw Error(ErrorCode::io, fmt::format("{}: {}: {} after {} of {} bytes; pull again", what, shown_,
                                             problem, most, file.size));
    }
    if (idle > 0) pause(idle - 1);
  }
  const auto expect = [&](const char* kind, const auto& is, const auto& expected) {
    if (is == expected) return;
    remove_file(path);
    throw_invalid(
        fmt::format("{}: {} {}, expected {}; the file was removed, pull again", what, kind, is, expected));
  };
  expect("size", have, file.size);
  if (!file.sha256.empty()) expect("sha256", sha256_of_file(path), file.sha256);
  if (!file.blob_id.empty()) expect("git id", git_blob_id_of_file(path), file.blob_id);
}

}  // namespace markeval::models
