// The texts a request names, read, checked against each other and held until scored.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/run_context.hpp"
#include "embed/token_vector_source.hpp"
#include "lexical/segment_statistics.hpp"
#include "request/score_request.hpp"
#include "text/corpus.hpp"

namespace markeval::score {

struct TextInputs {
  std::vector<text::Corpus> references, systems;
  std::vector<std::string> system_names;
  lexical::ScoredTexts corpus;  ///< views into the two above, where segments belong together
  /// Where the inputs are vectors of tokens: what has them. A text is then the tokens as they are written.
  std::shared_ptr<embed::TokenVectorSource> token_vectors{};
};

/// How many references a segment has, where texts need not be aligned: 0 where their number varies.
std::size_t reference_count(const std::vector<text::Corpus>& references);

/// What is said where csv quotes were taken off the fields of a table.
std::string about_quotes(const std::string& input);

/// One input of texts, from its file or from memory; warns of empty lines.
text::Corpus load_text_input(const Input& input, const std::string& fallback_name,
                             const text::ReadOptions& options, const RunContext& context);

/// Where `text`, stripped of white space, first stands in an input that was read as `corpus`: "refs.txt:3",
/// of texts in memory "reference: text 3". Nothing where it is not there.
std::optional<std::string> where_is(const Input& input, const text::Corpus& corpus, std::string_view text);
/// The same among all inputs of a request.
std::string where_is(const ScoreRequest& request, const TextInputs& inputs, std::string_view text);

/// `aligned`: line i of one file belongs to line i of the others, and the references of a segment come
/// together; throws Error(invalid_input) naming files and counts where numbers of segments differ. Otherwise
/// the files are sets of texts of any size. Warns of empty lines, replaced bytes and plausible mistakes.
TextInputs load_texts(const ScoreRequest& request, bool aligned, const RunContext& context);

}  // namespace markeval::score
