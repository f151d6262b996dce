// Are the texts of a run in a language that its metrics and its model can read? A score of unread text is a
// number like any other, so the user is warned.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/encoder_options.hpp"
#include "base/run_context.hpp"
#include "embed/text_run.hpp"
#include "metric/registry.hpp"
#include "score/text_inputs.hpp"

namespace markeval::score {

/// Warns, once per metric and input, where a lexical metric drops more than half of the letters or cannot
/// tell words in them. `metrics[i]` was made for `requests[i]`. The references are one input.
void warn_of_unread_letters(const TextInputs& inputs, std::span<const Metric> requests,
                            std::span<const std::shared_ptr<const metric::LexicalMetric>> metrics,
                            const RunContext& context);

/// Warns, once per input, where more than 1 % of its tokens are unknown to the model, or where the text is in
/// another script than Latin and the model has to spell it letter by letter. Also where the texts are in
/// another language than English, and the model is known to be an English one.
void warn_of_unread_tokens(const TextInputs& inputs, const embed::RunCounts& counts, const std::string& model,
                           const RunContext& context);

/// Warns, once per input, where more than a tenth of its words have no vector in the file.
void warn_of_unread_words(const TextInputs& inputs, const embed::RunCounts& counts, const std::string& file,
                          const RunContext& context);

/// Warns where a system's texts are in another language than the references, told by small words.
void warn_of_other_language(const TextInputs& inputs, const RunContext& context);

/// Warns, once per file, where texts lost tokens at the limit.
void warn_of_cut_texts(const TextInputs& inputs, const embed::RunCounts& counts,
                       const EncoderOptions& options, const RunContext& context);

}  // namespace markeval::score
