#include "report/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "metric/registry.hpp"

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

double main_of(const Result& people) {
  const std::string& main = metric::find_metric(people.metric).main;
  for (const auto& [name, value] : people.scores) {
    if (name == main) return value;
  }
  return people.scores.front().second;
}

/// "24 texts"
std::string drawn_texts(const Result& people) {
  return fmt::format("{} {}", count_of(people, "system_rows"), of_samples(people, "rows") ? "rows" : "texts");
}

}  // namespace

bool is_ceiling(const Result& people) {
  return count_of(people, "systems_above") < std::max<std::uint64_t>(1, count_of(people, "systems"));
}

const Result* ceiling_of(const std::vector<Result>& ceilings, const std::string& requested) {
  const auto found = std::find_if(ceilings.begin(), ceilings.end(), [&](const Result& one) {
    return one.requested == requested && is_ceiling(one);
  });
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
  std::string out;
  const auto shown = std::find_if(ceilings.begin(), ceilings.end(), is_ceiling);
  if (shown != ceilings.end())
    out += fmt::format("{}: {} of the reference, drawn by chance, against the other {}\n", kPeople,
                       drawn_texts(*shown), count_of(*shown, "reference_rows"));
  bool none = false;
  for (const Result& people : ceilings) {
    if (is_ceiling(people)) continue;
    none = true;
    out += fmt::format(
        "{} has no row {}: {} of the reference score {:.4f} against the other {}, worse than {}.\n",
        people.requested, kPeople, drawn_texts(people), main_of(people), count_of(people, "reference_rows"),
        count_of(people, "systems") == 1 ? "the system" : "every system");
  }
  if (none)
    out +=
        "Such systems say what the reference says, as translations do, or half of the reference is too small "
        "for the "
        "metric: compare the systems with each other only.\n";
  const bool sentences = std::any_of(ceilings.begin(), ceilings.end(),
                                     [](const Result& one) { return of_samples(one, "sentence"); });
  if (sentences) out += "Vectors of sentences hardly see the order of words; samples=word does.\n";
  return out;
}

}  // namespace markeval::report
