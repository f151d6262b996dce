// Each finding has a subject; a subject is reported once and a kind at most 20 times.
#include "base/told_findings.hpp"

namespace markeval {
namespace {

constexpr std::size_t kMostOfAKind = 20;

/// What is told once: the first twin of a system; of texts that cannot be read the references, whose language
/// the systems share.
std::string subject_of(const Finding& finding, const std::string& message) {
  switch (finding.kind) {
    case FindingKind::equals_system:
      return "twin of " + finding.words[0];
    case FindingKind::unread_letters:
      return "letters for " + finding.words[0];
    case FindingKind::unread_tokens:
      return "tokens of " + finding.words[1];
    default:
      return message;
  }
}

}  // namespace

std::string ToldFindings::text_to_tell(const Finding& finding) {
  std::string message = text_of(finding);
  if (message.empty() || !told_.insert(subject_of(finding, message)).second) return "";
  const std::size_t count = ++counts_[finding.kind];
  if (count > kMostOfAKind) return "";
  return count < kMostOfAKind ? message : message + " (more warnings of this kind are left out)";
}

}  // namespace markeval
