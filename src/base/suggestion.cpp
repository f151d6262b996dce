// Words are compared by edit distance (insert, delete, substitute, swap neighbours), without case, "-" and
// "_".
#include "base/suggestion.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/quotation.hpp"

namespace markeval {
namespace {

// The names of a file may be many and long; nobody mistypes the thousandth.
constexpr std::size_t kMostWords = 1000;
constexpr std::size_t kLongestWord = 100;

// Edits are insertion, deletion, substitution and the exchange of two neighbours, the commonest slip.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

// Lower case, without - and _: "Rouge-L" -> "rougel".
std::string plain(std::string_view word) {
  std::string letters;
  for (const char c : word) {
    if (c != '-' && c != '_') letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return letters;
}

/// Three letters at least, so that "me" is no short form of "metric".
bool is_short_form(std::string_view letters, std::string_view of) {
  return letters.size() > 2 && of.starts_with(letters);
}

}  // namespace

std::optional<std::string> closest_word(std::string_view typed, std::span<const std::string> known) {
  if (typed.size() > kLongestWord) return std::nullopt;
  known = known.first(std::min(known.size(), kMostWords));
  const std::string letters = plain(typed);
  std::optional<std::string> best;
  // A single letter is one edit away from any other.
  std::pair best_distance(typed.size() < 2 ? 1 : 1 + std::max<std::size_t>(1, typed.size() / 3),
                          std::size_t{0});
  for (const std::string& word : known) {
    if (word.size() > kLongestWord) continue;
    const std::pair distance(edit_distance(letters, plain(word)), edit_distance(typed, word));
    if (distance < best_distance) {
      best_distance = distance;
      best = word;
    }
  }
  if (best && best_distance.first <= std::max<std::size_t>(1, typed.size() / 4)) return best;
  for (const std::string& word : known) {
    if (word.size() > kLongestWord) continue;
    const std::string other = plain(word);
    if (is_short_form(letters, other) || is_short_form(other, letters)) return word;
  }
  for (const std::string& word : known) {
    if (!best && letters.size() > 1 && word.size() <= kLongestWord && plain(word).starts_with(letters))
      best = word;
  }
  return best;
}

std::string suggestion(std::string_view typed, std::span<const std::string> known) {
  if (const auto word = closest_word(typed, known)) return "; did you mean '" + *word + "'?";
  const std::string list = listed(known);
  return list.empty() ? "" : "; known: " + list;
}

std::string missing_name(std::string_view kind, std::string_view typed, std::span<const std::string> known) {
  const auto word = closest_word(typed, known);
  std::string message = "no ";
  message.append(kind).append(" ").append(in_quotes(typed));
  if (word) message.append("; did you mean '").append(*word).append("'?");
  return message.append(" (").append(kind).append("s: ").append(listed(known)).append(")");
}

}  // namespace markeval
