// A semaphore limits how many large bodies are parsed at once.
#include "serve/body_reader.hpp"

#include <chrono>

#include "base/error.hpp"
#include "base/json_reader.hpp"

namespace markeval::serve {
namespace {

constexpr std::chrono::milliseconds kLookAtReader{100};
constexpr std::size_t kOtherValues = 10'000;  ///< fields, names, metrics

}  // namespace

/// Throws Error(usage) where the body is no JSON object, Error(cancelled) where the turn does not come.
BodyReader::BodyDocument::BodyDocument(const BodyReader& reader, const HttpRequest& request) {
  const ServeSettings& settings = reader.settings_;
  if (request.body.size() > settings.max_small_kib << 10) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(settings.max_seconds);
    while (!reader.turns_.try_acquire_for(kLookAtReader)) {
      if (std::chrono::steady_clock::now() > end || (request.client_gone && request.client_gone()))
        throw Error(ErrorCode::cancelled, "too many large requests wait to be read");
    }
    turn_ = &reader.turns_;
  }
  try {
    // A text alone in its list of references is two values.
    json = parse_json_object(request.body, "the request",
                             {.values = 2 * std::size_t{settings.max_texts} + kOtherValues});
  } catch (const Error& error) {
    if (turn_ != nullptr) turn_->release();
    throw_usage(error.what());
  } catch (...) {
    if (turn_ != nullptr) turn_->release();
    throw;
  }
}

BodyReader::BodyDocument::~BodyDocument() {
  json = {};  // before the next one may have its turn
  if (turn_ != nullptr) turn_->release();
}

}  // namespace markeval::serve
