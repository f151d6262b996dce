// A hub of our own on 127.0.0.1 with one model, owner/tiny, that can be told to misbehave.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "support/web_server.hpp"

namespace markeval::models {

inline const std::string kCommit(40, 'c');

class TestHub {
 public:
  explicit TestHub(const SelfSigned* identity = nullptr)
      : weights(300000, 'w'),
        server([this](const WebQuestion& question) { return answer(question); }, identity) {
    for (std::size_t index = 0; index < weights.size(); ++index)
      weights[index] = static_cast<char>(index * 7919 >> 5);
    served = weights;
    const std::string blob = "9e26dfeeb6e641a33dae4961196235bdb965b21b";  // git's id of "{}"
    listing =
        R"({"sha": ")" + kCommit + R"(", "siblings": [)" +
        R"({"rfilename": "config.json", "size": 2, "blobId": ")" + blob + R"("},)" +
        R"({"rfilename": "1_Pooling/config.json", "size": 2, "blobId": ")" + blob + R"("},)" +
        R"({"rfilename": "onnx/model.onnx", "size": 9}, {"rfilename": "../evil/config.json", "size": 2},)" +
        R"({"rfilename": "pytorch_model.bin", "size": 9},)" +
        R"({"rfilename": "model.safetensors", "size": 300000, "blobId": "0", "lfs": {"sha256": ")" +
        sha256_of(weights) + R"(", "size": 300000}}]})";
  }

  std::string weights, served, listing;
  std::string weights_address = "/cdn/weights";
  std::string listing_headers;
  int listing_status = 200;
  int breaks = 0;  ///< so many times the weights are promised whole, sent in part, and cut off
  std::size_t sent_before_break = 100000;
  bool ignores_ranges = false, misplaces_ranges = false;
  std::vector<std::string> targets, ranges,
      authorizations;  ///< of all questions; `ranges` of those for weights

  WebServer server;  ///< last: it answers from the rest

 private:
  std::string answer(const WebQuestion& question) {
    const std::lock_guard lock(mutex_);
    targets.push_back(question.target);
    authorizations.push_back(question.header("Authorization"));
    if (question.target == "/api/models/owner/tiny/revision/main?blobs=true")
      return web_answer(listing_status, listing, listing_headers);
    const std::string files = "/owner/tiny/resolve/" + kCommit + "/";
    if (question.target == files + "model.safetensors")
      return web_answer(302, "", "Location: " + weights_address + "\r\n");
    if (question.target.starts_with(files)) return web_answer(200, "{}");
    if (question.target == "/cdn/weights") return weights_answer(question.header("Range"));
    return web_answer(404, "");
  }

  std::string weights_answer(const std::string& range) {
    ranges.push_back(range);
    const bool whole = range.empty() || ignores_ranges;
    const std::size_t start = whole ? 0 : std::stoul(range.substr(6));
    if (!whole && start >= served.size()) return web_answer(416, "");
    const std::string part = served.substr(start);
    const std::string place = "Content-Range: bytes " + std::to_string(start + (misplaces_ranges ? 1 : 0)) +
                              "-" + std::to_string(served.size() - 1) + "/" + std::to_string(served.size()) +
                              "\r\n";
    std::size_t sent = part.size();
    if (breaks > 0) {
      --breaks;
      sent = std::min(sent, sent_before_break);
    }
    return web_answer(whole ? 200 : 206, part.substr(0, sent), whole ? "" : place, part.size());
  }

  std::mutex mutex_;
};

}  // namespace markeval::models
