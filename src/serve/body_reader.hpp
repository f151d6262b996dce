// Bodies of requests made into JSON. Large ones take turns, so that a hundred clients cannot have a hundred
// documents built at once; what a document may hold is counted before it is built.
#pragma once

#include <semaphore>

#include "base/json.hpp"
#include "serve/http.hpp"
#include "serve/settings.hpp"

namespace markeval::serve {

class BodyReader {
 public:
  explicit BodyReader(const ServeSettings& settings) : settings_(settings) {}

  /// A document, and the turn of who reads it.
  class BodyDocument {
   public:
    BodyDocument(const BodyReader& reader, const HttpRequest& request);
    ~BodyDocument();
    BodyDocument(const BodyDocument&) = delete;
    BodyDocument& operator=(const BodyDocument&) = delete;

    nlohmann::json json{};

   private:
    std::counting_semaphore<>* turn_ = nullptr;
  };

 private:
  static constexpr std::ptrdiff_t kTogether = 2;

  const ServeSettings& settings_;
  mutable std::counting_semaphore<> turns_{kTogether};
};

}  // namespace markeval::serve
