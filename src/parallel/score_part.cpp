// The byte format of a part, and the rules by which findings, details and results are added.
#include "parallel/score_part.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/packing.hpp"
#include "base/version.hpp"

namespace markeval::parallel {
namespace {

/// Something of the same subject, or null.
Finding* find_subject(std::vector<Finding>& findings, const Finding& wanted) {
  const auto same = [&](const Finding& one) { return one.same_subject(wanted); };
  const auto found = std::find_if(findings.begin(), findings.end(), same);
  return found == findings.end() ? nullptr : &*found;
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

class PartPacker : public Packer {
 public:
  using Packer::add;
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const std::vector<double>& values) { add(std::span<const double>(values)); }
  void add(const Interval& interval) {
    add(interval.low);
    add(interval.high);
  }
  void add(const ResampledScores& scores) {
    add(scores.values);
    add(scores.single);
  }
  void add(const Detail& detail) {
    add(static_cast<std::uint8_t>(detail.index()));
    std::visit([this](const auto& value) { add(value); }, detail);
  }
  template <typename Value>
  void add(const Named<Value>& named) {
    add(std::uint64_t{named.size()});
    for (const auto& [name, value] : named) {
      add(name);
      add(value);
    }
  }
  void add(const Result& result) {
    for (const std::string* name : {&result.system, &result.metric, &result.requested}) add(*name);
    add(result.scores);
    add(result.details);
    add(result.segments);
    add(result.intervals);
    add(result.signature_parts);
    add(std::uint64_t{result.statistics.columns});
    add(result.statistics.values);
    add(result.resampled);
    add(std::uint64_t{result.split_rows});
    add(std::uint64_t{result.half_rows});
  }
  void add(const std::vector<Result>& results) {
    add(std::uint64_t{results.size()});
    for (const Result& result : results) add(result);
  }
  void add(const DrawnScores& drawn) {
    add(drawn.system);
    add(drawn.scores);
    add(drawn.spreads);
    add(drawn.outside.value_or(-1));
    add(drawn.p_values);
    add(drawn.copied);
  }
  void add(const Ceiling& ceiling) {
    for (const std::string* name : {&ceiling.metric, &ceiling.requested, &ceiling.samples}) add(*name);
    add(ceiling.texts);
    add(ceiling.draws);
    add(ceiling.people);
    add(std::uint64_t{ceiling.systems.size()});
    for (const DrawnScores& system : ceiling.systems) add(system);
  }
  void add(const Finding& finding) {
    add(static_cast<std::uint8_t>(finding.kind));
    add(std::uint64_t{finding.words.size()});
    for (const std::string& word : finding.words) add(word);
    add(std::span<const std::uint64_t>(finding.counts));
  }
};

class PartUnpacker : public Unpacker {
 public:
  using Unpacker::Unpacker;
  void get(std::string& out) { out = text(); }
  void get(double& out) { out = number<double>(); }
  void get(std::vector<double>& out) { out = numbers<double>(); }
  void get(Interval& out) {
    get(out.low);
    get(out.high);
  }
  void get(ResampledScores& out) {
    get(out.values);
    out.single = number<bool>();
  }
  void get(Detail& out) {
    switch (number<std::uint8_t>()) {
      case 0:
        out = number<double>();
        return;
      case 1:
        out = count();
        return;
      case 2:
        out = std::string(text());
        return;
      default:
        out = numbers<double>();
    }
  }
  template <typename Value>
  void get(Named<Value>& out) {
    out.resize(size());
    for (auto& [name, value] : out) {
      get(name);
      get(value);
    }
  }
  void get(Result& out) {
    for (std::string* name : {&out.system, &out.metric, &out.requested}) get(*name);
    get(out.scores);
    get(out.details);
    get(out.segments);
    get(out.intervals);
    get(out.signature_parts);
    out.statistics.columns = count();
    get(out.statistics.values);
    get(out.resampled);
    out.split_rows = count();
    out.half_rows = count();
  }
  void get(std::vector<Result>& out) {
    out.resize(size());
    for (Result& result : out) get(result);
  }
  void get(DrawnScores& out) {
    get(out.system);
    get(out.scores);
    get(out.spreads);
    if (const auto outside = number<double>(); outside >= 0) out.outside = outside;
    get(out.p_values);
    out.copied = number<double>();
  }
  void get(Ceiling& out) {
    for (std::string* name : {&out.metric, &out.requested, &out.samples}) get(*name);
    out.texts = count();
    out.draws = count();
    get(out.people);
    out.systems.resize(size());
    for (DrawnScores& system : out.systems) get(system);
  }
  void get(Finding& out) {
    const auto kind = number<std::uint8_t>();
    if (kind > static_cast<std::uint8_t>(FindingKind::other)) throw_invalid("a part with an unknown finding");
    out.kind = static_cast<FindingKind>(kind);
    out.words.resize(size());
    for (std::string& word : out.words) get(word);
    out.counts = numbers<std::uint64_t>();
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
  for (Finding& finding : next.findings) {
    Finding* known = find_subject(findings, finding);
    if (known == nullptr) {
      findings.push_back(std::move(finding));
      continue;
    }
    for (std::size_t i = 0; i < known->counts.size(); ++i) known->counts[i] += finding.counts.at(i);
  }
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
  for (Finding& finding : other.findings) {
    Finding* known = find_subject(findings, finding);
    if (known == nullptr) {
      findings.push_back(std::move(finding));
      continue;
    }
    // Both parts have the same texts: a count that only one of them made is 0 in the other.
    for (std::size_t i = 0; i < known->counts.size(); ++i)
      known->counts[i] = std::max(known->counts[i], finding.counts.at(i));
  }
  for (Ceiling& ceiling : other.ceilings) ceilings.push_back(std::move(ceiling));
}

std::string pack(const ScorePart& part) {
  PartPacker bytes;
  bytes.add(version());
  bytes.add(part.segments);
  bytes.add(part.references);
  bytes.add(std::uint64_t{part.metrics.size()});
  for (const ScorePart::Measured& metric : part.metrics) {
    bytes.add(metric.requested);
    bytes.add(metric.failure.has_value());
    if (metric.failure) {
      bytes.add(static_cast<std::uint8_t>(metric.failure->code()));
      bytes.add(std::string_view(metric.failure->what()));
    }
    bytes.add(metric.systems);
  }
  bytes.add(std::uint64_t{part.findings.size()});
  for (const Finding& finding : part.findings) bytes.add(finding);
  bytes.add(std::uint64_t{part.ceilings.size()});
  for (const Ceiling& ceiling : part.ceilings) bytes.add(ceiling);
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
  part.segments = bytes.count();
  part.references = bytes.count();
  part.metrics.resize(bytes.size());
  for (ScorePart::Measured& metric : part.metrics) {
    bytes.get(metric.requested);
    if (bytes.number<bool>()) {
      const auto code = static_cast<ErrorCode>(bytes.number<std::uint8_t>());
      metric.failure.emplace(code, std::string(bytes.text()));
    }
    bytes.get(metric.systems);
  }
  part.findings.resize(bytes.size());
  for (Finding& finding : part.findings) bytes.get(finding);
  part.ceilings.resize(bytes.size());
  for (Ceiling& ceiling : part.ceilings) bytes.get(ceiling);
  return part;
}

}  // namespace markeval::parallel
