// The evaluator is called for each kind of work, and its report is written; embeddings have OpenAI's JSON
// form.
#include "serve/work.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "api/models.hpp"
#include "base/cancellation.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "score/judged_pairs.hpp"

namespace markeval::serve {
namespace {

static_assert(std::endian::native == std::endian::little, "base64 holds little-endian floats");

std::string base64_of(std::span<const float> values) {
  static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes(values.size_bytes(), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = i; j < i + 3; ++j)
      group = group << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j > bytes.size() ? '=' : kLetters[group >> (18 - 6 * j) & 63];
  }
  return out;
}

/// OpenAI's form. Numbers have the digits that give the same float32 when they are read.
std::string embeddings_json(const TextVectors& vectors, const WorkRequest& request) {
  std::string out = R"({"object":"list","data":[)";
  for (std::size_t row = 0; row < vectors.rows; ++row) {
    const std::span values = std::span(vectors.values).subspan(row * vectors.columns, vectors.columns);
    fmt::format_to(std::back_inserter(out), R"({}{{"object":"embedding","index":{},"embedding":)",
                   row == 0 ? "" : ",", row);
    check_cancelled();
    if (request.base64) {
      out += '"' + base64_of(values) + '"';
    } else {
      for (std::size_t i = 0; i < values.size(); ++i)
        fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? '[' : ',', values[i]);
      out += ']';
    }
    out += '}';
  }
  const std::string& model = request.embed.encoder.model;
  const nlohmann::ordered_json name = model.empty() ? std::string(default_model()) : model;
  fmt::format_to(std::back_inserter(out),
                 R"(],"model":{},"usage":{{"prompt_tokens":{},"total_tokens":{}}},"signature":{}}})",
                 json_text(name), vectors.report.counts.tokens, vectors.report.counts.tokens,
                 json_text(nlohmann::ordered_json(vectors.report.signature)));
  return out + "\n";
}

template <typename Report>
WorkResult from_report(const Report& report, bool all, bool page) {
  WorkResult result;
  result.json = report.json();
  if (all) result.tsv = report.tsv();
  if (page) result.page = report.html();
  return result;
}

}  // namespace

WorkResult do_work(Evaluator& evaluator, WorkRequest& request, bool all, Observer* observer,
                   const std::atomic<bool>* cancel) {
  const CancelScope stoppable(cancel);  // the writing, too
  const bool page = all && !(request.kind == WorkKind::correlate && score::gives_pairs(request.correlate));
  request.correlate.page = page;
  // Source texts are for the page; where it is not asked for, what is wrong with them is found all the same.
  request.score.page = page || !request.score.source_texts.empty();
  switch (request.kind) {
    case WorkKind::score:
      return from_report(evaluator.score(request.score, observer, cancel), all, page);
    case WorkKind::compare:
      return from_report(evaluator.compare(request.score, request.compare, observer, cancel), all, page);
    case WorkKind::correlate:
      return from_report(evaluator.correlate(request.correlate, observer, cancel), all, page);
    case WorkKind::embeddings:
      break;
  }
  const TextVectors vectors = evaluator.embed(request.inputs, request.embed, observer, cancel);
  WorkResult result;
  result.json = embeddings_json(vectors, request);
  result.tokens = vectors.report.counts.tokens;
  result.cache_hits = vectors.report.hits;
  result.cache_misses = vectors.report.misses;
  return result;
}

}  // namespace markeval::serve
