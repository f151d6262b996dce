#include "report/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace markeval::report {
namespace {

std::uint64_t count_of(const Result& ceiling, const std::string& name) {
  for (const auto& [key, value] : ceiling.details) {
    if (key == name) return std::get<std::uint64_t>(value);
  }
  return 0;
}

bool of_samples(const Result& ceiling, const std::string& samples) {
  const auto& parts = ceiling.signature_parts;
  return std::find(parts.begin(), parts.end(), std::pair<std::string, std::string>("samples", samples)) !=
         parts.end();
}

}  // namespace

const Result* ceiling_of(const std::vector<Result>& ceilings, const std::string& requested) {
  const auto found = std::find_if(ceilings.begin(), ceilings.end(),
                                  [&](const Result& one) { return one.requested == requested; });
  return found == ceilings.end() ? nullptr : &*found;
}

std::optional<double> ceiling_score(const std::vector<Result>& ceilings, const std::string& requested,
                                    const std::string& score) {
  const Result* ceiling = ceiling_of(ceilings, requested);
  if (ceiling == nullptr) return std::nullopt;
  for (const auto& [name, value] : ceiling->scores) {
    if (name == score) return value;
  }
  return std::nullopt;
}

std::string about_ceilings(const std::vector<Result>& ceilings) {
  if (ceilings.empty()) return "";
  const Result& first = ceilings.front();
  std::string out =
      fmt::format("{}: {} {} of the reference, drawn by chance, against the other {}\n", kPeople,
                  count_of(first, "system_rows"), of_samples(first, "rows") ? "rows" : "texts",
                  count_of(first, "reference_rows"));
  const bool sentences = std::any_of(ceilings.begin(), ceilings.end(),
                                     [](const Result& one) { return of_samples(one, "sentence"); });
  if (sentences) out += "Vectors of sentences hardly see the order of words; samples=word does.\n";
  return out;
}

}  // namespace markeval::report
