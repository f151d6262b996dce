// The byte format of a part, and the rules by which findings, details and results are added.
#include "parallel/score_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <functional>
#include <tuple>

#include "base/packing.hpp"
#include "base/version.hpp"

namespace markeval::parallel {
namespace {

/// `all` with `more`; counts of the same subject become one by `joined`.
template <typename Joined>
void merge_findings(std::vector<Finding>& all, std::vector<Finding> more, Joined joined) {
  for (Finding& finding : more) {
    const auto known =
        std::ranges::find_if(all, [&](const Finding& one) { return one.same_subject(finding); });
    if (known == all.end()) {
      all.push_back(std::move(finding));
      continue;
    }
    for (std::size_t i = 0; i < known->counts.size(); ++i)
      known->counts[i] = joined(known->counts[i], finding.counts.at(i));
  }
}

/// Counts add up, all else is the same in every part: names, settings.
void append_details(Named<Detail>& all, const Named<Detail>& next) {
  for (auto& [name, value] : all) {
    auto* const count = std::get_if<std::uint64_t>(&value);
    if (count == nullptr) continue;
    const auto same = [&wanted = name](const auto& one) { return one.first == wanted; };
    const auto more = std::find_if(next.begin(), next.end(), same);
    if (more != next.end()) *count += std::get<std::uint64_t>(more->second);
  }
}

void append_result(Result& all, const Result& next) {
  append_details(all.details, next.details);
  for (std::size_t i = 0; i < all.segments.size(); ++i) {
    std::vector<double>& values = all.segments[i].second;
    const std::vector<double>& more = next.segments.at(i).second;
    values.insert(values.end(), more.begin(), more.end());
  }
  std::vector<double>& rows = all.statistics.values;
  rows.insert(rows.end(), next.statistics.values.begin(), next.statistics.values.end());
}

/// What travels of a value, in this order: PartPacker writes it, PartUnpacker reads it.
template <typename T, typename Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

auto fields(Is<Interval> auto& one) {
  return std::tie(one.low, one.high);
}
auto fields(Is<ResampledScores> auto& one) {
  return std::tie(one.values, one.single);
}
auto fields(Is<SegmentStatistics> auto& one) {
  return std::tie(one.columns, one.values);
}
auto fields(Is<Result> auto& one) {
  return std::tie(one.system, one.metric, one.requested, one.scores, one.details, one.segments, one.intervals,
                  one.signature_parts, one.statistics, one.resampled, one.split_rows, one.half_rows);
}
auto fields(Is<DrawnScores> auto& one) {
  return std::tie(one.system, one.scores, one.spreads, one.outside, one.p_values, one.copied);
}
auto fields(Is<Ceiling> auto& one) {
  return std::tie(one.metric, one.requested, one.samples, one.texts, one.draws, one.people, one.systems,
                  one.missing);
}
auto fields(Is<Finding> auto& one) {
  return std::tie(one.kind, one.words, one.counts);
}
auto fields(Is<ScorePart::Measured> auto& one) {
  return std::tie(one.requested, one.failure, one.systems);
}
auto fields(Is<ScorePart> auto& one) {
  return std::tie(one.segments, one.references, one.metrics, one.findings, one.ceilings);
}

template <typename T>
concept HasFields = requires(T& value) {
  fields(value);
};

constexpr FindingKind last_of(FindingKind) {
  return FindingKind::other;
}

class PartPacker : public Packer {
 public:
  using Packer::add;
  void add(const std::string& text) { add(std::string_view(text)); }
  /// For numbers too: to clang 14 a template of words alone would hide that of Packer.
  template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void add(T value) {
    if constexpr (std::is_enum_v<T>)
      Packer::add(static_cast<std::uint8_t>(value));
    else
      Packer::add(value);
  }
  void add(const Error& error) {
    add(error.code());
    add(std::string_view(error.what()));
  }
  void add(const Detail& detail) {
    add(static_cast<std::uint8_t>(detail.index()));
    std::visit([this](const auto& value) { add(value); }, detail);
  }
  template <typename Value>
  void add(const std::pair<std::string, Value>& named) {
    add(named.first);
    add(named.second);
  }
  template <typename T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <typename T>
  void add(const std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
      add(std::span<const T>(values));
    } else {
      add(std::uint64_t{values.size()});
      for (const T& value : values) add(value);
    }
  }
  template <HasFields T>
  void add(const T& value) {
    std::apply([this](const auto&... field) { (add(field), ...); }, fields(value));
  }
};

class PartUnpacker : public Unpacker {
 public:
  using Unpacker::Unpacker;
  template <typename T>
  requires std::is_arithmetic_v<T>
  void get(T& out) { out = number<T>(); }
  void get(std::string& out) { out = text(); }
  template <typename T>
  requires std::is_enum_v<T>
  void get(T& out) {
    const auto value = number<std::uint8_t>();
    if (value > static_cast<std::uint8_t>(last_of(out))) throw_invalid("a part with an unknown word in it");
    out = static_cast<T>(value);
  }
  void get(std::optional<Error>& out) {
    if (!number<bool>()) return;
    const auto code = static_cast<ErrorCode>(number<std::uint8_t>());
    out.emplace(code, std::string(text()));
  }
  void get(Detail& out) {
    switch (number<std::uint8_t>()) {
      case 0:
        return get(out.emplace<double>());
      case 1:
        return get(out.emplace<std::uint64_t>());
      case 2:
        return get(out.emplace<std::string>());
      default:
        return get(out.emplace<std::vector<double>>());
    }
  }
  template <typename Value>
  void get(std::pair<std::string, Value>& out) {
    get(out.first);
    get(out.second);
  }
  template <typename T>
  void get(std::optional<T>& out) {
    if (number<bool>()) get(out.emplace());
  }
  template <typename T>
  void get(std::vector<T>& out) {
    if constexpr (std::is_arithmetic_v<T>) {
      out = numbers<T>();
    } else {
      out.resize(size());
      for (T& value : out) get(value);
    }
  }
  template <HasFields T>
  void get(T& out) {
    std::apply([this](auto&... field) { (get(field), ...); }, fields(out));
  }
};

}  // namespace

void ScorePart::append(ScorePart next) {
  if (segments == 0) {
    *this = std::move(next);
    return;
  }
  if (next.segments == 0) return;
  segments += next.segments;
  if (references != next.references) references = 0;
  for (Measured& metric : metrics) {
    const auto same = [&](const Measured& one) { return one.requested == metric.requested; };
    const auto more = std::find_if(next.metrics.begin(), next.metrics.end(), same);
    if (more == next.metrics.end()) throw_invalid("parts with different metrics");
    if (!metric.failure) metric.failure = more->failure;
    for (std::size_t system = 0; !metric.failure && system < metric.systems.size(); ++system)
      append_result(metric.systems[system], more->systems.at(system));
  }
  merge_findings(findings, std::move(next.findings), std::plus<>());
}

void ScorePart::unite(ScorePart other) {
  if (metrics.empty()) {
    *this = std::move(other);
    return;
  }
  if (segments != other.segments) {
    throw_invalid(fmt::format("parts of {} and of {} segments, expected the same", segments, other.segments));
  }
  for (Measured& metric : other.metrics) metrics.push_back(std::move(metric));
  // Both parts have the same texts: a count that only one of them made is 0 in the other.
  merge_findings(findings, std::move(other.findings), [](auto a, auto b) { return std::max(a, b); });
  for (Ceiling& ceiling : other.ceilings) ceilings.push_back(std::move(ceiling));
}

std::string pack(const ScorePart& part) {
  PartPacker bytes;
  bytes.add(version());
  bytes.add(part);
  return bytes.take();
}

ScorePart unpack_part(std::string_view packed) {
  PartUnpacker bytes(packed);
  if (const std::string_view found = bytes.text(); found != version()) {
    throw_invalid(
        fmt::format("a part made by markeval {} but this is {}, expected the same version on all machines",
                    found, version()));
  }
  ScorePart part;
  bytes.get(part);
  return part;
}

}  // namespace markeval::parallel
