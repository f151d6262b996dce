// A scanner of words: an option, and the value behind it where there is one.
#include "binding/python_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace markeval::binding {
namespace {

/// Keywords that are not just the option with underscores.
struct Keyword {
  std::string_view option, keyword;
};
constexpr std::array kKeywords{Keyword{"--by-group shows", "results has"},
                               Keyword{"--metric", "metrics="},
                               Keyword{"--ref", "reference="},
                               Keyword{"--hyp", "hypothesis="},
                               Keyword{"--long window", "windows=True"},
                               Keyword{"--clamp-k", "clamp_k=True"},
                               Keyword{"--resume", "resume=True"},
                               Keyword{"--force", "force=True"},
                               Keyword{"--segments", "segments=True"},
                               Keyword{"--no-checksum", "no_checksum=True"},
                               Keyword{"--replace-invalid", "replace_invalid=True"}};
/// Options whose value is a word; values of others are numbers or stand for something: "COLUMN".
constexpr std::array<std::string_view, 7> kOfWords{"test",  "level", "preset",         "correction",
                                                   "valid", "pool",  "lower-is-better"};

bool ends_word(char c) {
  return c == ' ' || c == '\n' || c == '.' || c == ',' || c == ';' || c == ':' || c == ')';
}

std::string_view word_at(std::string_view text) {
  return text.substr(
      0, static_cast<std::size_t>(std::find_if(text.begin(), text.end(), ends_word) - text.begin()));
}

bool is_option(std::string_view text) {
  return text.starts_with("--") && text.size() > 2 && text[2] >= 'a' && text[2] <= 'z';
}

bool is_value(std::string_view option, std::string_view word) {
  const bool of_words = std::find(kOfWords.begin(), kOfWords.end(), option) != kOfWords.end();
  return of_words || (!word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
         }));
}

/// Whether what stands before is a command of the terminal: "markeval train".
bool in_command(std::string_view before) {
  const std::size_t command = before.rfind("markeval ");
  return command != std::string_view::npos &&
         before.find_first_of(",;:.()", command) == std::string_view::npos;
}

}  // namespace

std::string in_python(std::string_view message) {
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    const std::string_view rest = message.substr(at);
    const bool begins =
        at == 0 || message[at - 1] == ' ' || message[at - 1] == '(' || message[at - 1] == '\n';
    if (!begins || !(is_option(rest) || rest.starts_with("-m ")) || in_command(message.substr(0, at))) {
      out += message[at++];
      continue;
    }
    if (rest.starts_with("-m ")) {
      out += is_value("", word_at(rest.substr(3))) ? "metrics=" : "the metric ";
      at += 3;
      continue;
    }
    const auto known = std::find_if(kKeywords.begin(), kKeywords.end(), [&](const Keyword& one) {
      return rest.starts_with(one.option) &&
             (rest.size() == one.option.size() || ends_word(rest[one.option.size()]));
    });
    std::string_view option = word_at(rest).substr(2);
    if (known != kKeywords.end()) {
      out += known->keyword;
      at += known->option.size();
      if (known->keyword.back() != '=') continue;
    } else {
      for (const char c : option) out += c == '-' ? '_' : c;
      out += '=';
      at += 2 + option.size();
    }
    const std::string_view word = at < message.size() ? word_at(message.substr(at + 1)) : "";
    if (word.empty() || message[at] != ' ' || !is_value(option, word)) continue;
    const bool quoted = word.front() >= 'a' && word.front() <= 'z';
    out += quoted ? fmt::format("'{}'", word) : std::string(word);
    at += 1 + word.size();
  }
  return out;
}

std::vector<std::string> in_python(const std::vector<std::string>& messages) {
  std::vector<std::string> out;
  for (const std::string& message : messages) out.push_back(in_python(message));
  return out;
}

}  // namespace markeval::binding
