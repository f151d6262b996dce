// The body of a request that asks for work: its fields by the tables of api, its texts by hand. What a body
// may hold is written down once: read_work_request reads it, body_schema describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/compare.hpp"
#include "api/correlate.hpp"
#include "api/embedding.hpp"
#include "api/markeval.hpp"
#include "request/fields.hpp"
#include "serve/settings.hpp"

namespace markeval::serve {

enum class WorkKind { score, compare, correlate, embeddings };

/// "score", "compare", ...; and back. Throws Error(usage) for another word.
std::string_view name_of(WorkKind kind);
WorkKind work_kind(const std::string& name);

/// Texts that lie in a body, in the form requests of api borrow them.
struct BodyTexts {
  std::string name{};
  std::vector<std::string> lines{};
  std::vector<std::size_t> starts{};  ///< empty: one text per segment
};

/// One of the requests of api, and the texts it works on. Not to be copied: requests point at the texts.
struct WorkRequest {
  explicit WorkRequest(WorkKind its_kind) : kind(its_kind) {
    embed.layer = -1;
    score.ceiling = true;  // as the command line has it
  }
  WorkRequest(const WorkRequest&) = delete;
  WorkRequest& operator=(const WorkRequest&) = delete;

  WorkKind kind;
  std::string preset{};
  ScoreRequest score{};      ///< score, compare
  CompareOptions compare{};  ///< compare
  CorrelateRequest correlate{};
  EmbedRequest embed{};
  bool base64 = false;  ///< embeddings: as OpenAI's clients ask for them

  BodyTexts references{};
  std::vector<BodyTexts> systems{};
  std::vector<std::string> inputs{};  ///< texts to embed
  std::size_t texts = 0, bytes = 0;   ///< of all texts together

  const std::vector<Metric>& metrics() const;
  /// Whether anything in it needs vectors of texts.
  bool needs_encoder() const;
};

/// What the server adds to every request.
struct WorkDefaults {
  std::string model{}, cache{};
  std::size_t max_texts = 0;
  std::size_t max_systems = 1000, max_scores = 5'000'000;
};
WorkDefaults work_defaults(const ServeSettings& settings);

/// The fields a client may set. Their addresses are those of `request`.
std::vector<Field> fields_of(WorkRequest& request);

/// Takes the texts out of the body. Throws Error(usage) where it is no such request, Error(invalid_input)
/// where its texts make no sense or the answer would be too large.
std::unique_ptr<WorkRequest> read_work_request(WorkKind kind, nlohmann::json& body,
                                               const WorkDefaults& defaults);

/// A JSON schema of the body.
nlohmann::ordered_json body_schema(WorkKind kind);

}  // namespace markeval::serve
