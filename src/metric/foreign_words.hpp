// Names of metrics and options as other tools have them, each with the right word here.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace markeval::metric {

/// A name as people spell it: small letters, without - and _. "ROUGE-L" -> "rougel", "chrF2++" -> "chrf++".
std::string plain_name(std::string_view name);

/// What follows "metric 'comet' ": "is not offered: ...". Empty where the name is not known.
std::string answer_to_metric(std::string_view name);

/// What follows "bleu: unknown option 'tok'": "; that is 'tokenize' here", for a metric with these `options`.
/// Empty where the name is not known.
std::string answer_to_option(std::string_view name, std::span<const std::string> options);

}  // namespace markeval::metric
