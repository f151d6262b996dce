// Reading of index, data and exception files, and the search for base forms.
#include "lexical/wordnet.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/open_file.hpp"

namespace markeval::lexical {
namespace {

using EndingRule = std::pair<std::string_view, std::string_view>;
constexpr EndingRule kNounEndings[] = {{"s", ""},      {"ses", "s"},   {"ves", "f"},
                                       {"xes", "x"},   {"zes", "z"},   {"ches", "ch"},
                                       {"shes", "sh"}, {"men", "man"}, {"ies", "y"}};
constexpr EndingRule kVerbEndings[] = {{"s", ""},   {"ies", "y"}, {"es", "e"},  {"es", ""},
                                       {"ed", "e"}, {"ed", ""},   {"ing", "e"}, {"ing", ""}};
constexpr EndingRule kAdjectiveEndings[] = {{"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"}};
constexpr std::span<const EndingRule> kRules[] = {kNounEndings, kVerbEndings, kAdjectiveEndings, {}};

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  ///< of a file; the largest has 15 MB

/// Takes the next blank-separated field off `line`.
std::string_view next_field(std::string_view& line) {
  const std::size_t start = std::min(line.find_first_not_of(" \t\r"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t\r", start), line.size());
  const std::string_view field = line.substr(start, end - start);
  line.remove_prefix(end);
  return field;
}

bool read_number(std::string_view field, std::uint32_t& number, int base = 10) {
  const auto result = std::from_chars(field.data(), field.data() + field.size(), number, base);
  return !field.empty() && result.ec == std::errc() && result.ptr == field.data() + field.size();
}

template <typename Action>
void for_each_line(std::string_view text, Action action) {
  std::size_t number = 1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    action(text.substr(0, end), number++);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

WordNet::PartOfSpeech::PartOfSpeech(const std::string& folder, const std::string& name)
    : data_path(folder + "/data." + name), data(OpenFile(data_path).read_all(kMostBytes)) {
  const OpenFile index(folder + "/index." + name);
  for_each_line(index.read_all(kMostBytes), [&](std::string_view line, std::size_t number) {
    if (line.empty() || line.front() == ' ') return;  // the licence
    const auto damaged = [&] {
      throw_invalid(index.path() + ":" + std::to_string(number) + ": no WordNet index line");
    };
    const std::string lemma(next_field(line));
    next_field(line);  // part of speech
    std::uint32_t count = 0, pointers = 0;
    if (!read_number(next_field(line), count) || !read_number(next_field(line), pointers)) damaged();
    // Pointer symbols, senses, ranked senses. A line that says it has more than it has must not cost time.
    for (std::uint64_t i = 0; i < std::uint64_t{pointers} + 2; ++i) {
      if (next_field(line).empty()) damaged();
    }
    auto& offsets = synsets[lemma];
    offsets.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint32_t offset = 0;
      if (!read_number(next_field(line), offset) || offset >= data.size()) damaged();
      offsets.push_back(offset);
    }
  });
  const OpenFile list(folder + "/" + name + ".exc");
  for_each_line(list.read_all(kMostBytes), [&](std::string_view line, std::size_t) {
    const std::string inflected(next_field(line));
    if (inflected.empty()) return;
    auto& forms = exceptions[inflected];
    forms.clear();
    for (auto form = next_field(line); !form.empty(); form = next_field(line)) forms.emplace_back(form);
  });
}

WordNet::WordNet(const std::string& folder) {
  for (const char* name : {"noun", "verb", "adj", "adv"}) parts_.emplace_back(folder, name);
}

std::vector<std::string> WordNet::synonyms(std::string_view word) const {
  std::vector<std::string> result;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const PartOfSpeech& part = parts_[p];
    std::vector<std::string> forms{std::string(word)};
    if (const auto exception = part.exceptions.find(forms[0]); exception != part.exceptions.end()) {
      forms.insert(forms.end(), exception->second.begin(), exception->second.end());
    } else {
      for (const auto& [suffix, replacement] : kRules[p]) {
        if (!word.ends_with(suffix)) continue;
        forms.push_back(std::string(word.substr(0, word.size() - suffix.size())).append(replacement));
      }
    }
    for (const std::string& form : forms) {
      const auto found = part.synsets.find(form);
      if (found == part.synsets.end()) continue;
      for (const std::uint32_t offset : found->second) {
        std::string_view line = std::string_view(part.data).substr(offset);
        line = line.substr(0, line.find('\n'));
        for (int i = 0; i < 3; ++i) next_field(line);  // offset, lexicographer file, kind
        std::uint32_t words = 0;
        if (!read_number(next_field(line), words, 16)) {
          throw_invalid(part.data_path + ": no synset at byte " + std::to_string(offset));
        }
        for (std::uint32_t i = 0; i < words; ++i) {
          std::string_view name = next_field(line);
          next_field(line);  // number within the lexicographer file
          if (name.empty()) {
            throw_invalid(fmt::format("{}: the synset at byte {} should have {} words, but has {}",
                                      part.data_path, offset, words, i));
          }
          if (name.ends_with(')'))
            name = name.substr(0, name.find('('));  // where an adjective may stand: "(p)"
          if (name.find('_') == std::string_view::npos) result.emplace_back(name);
        }
      }
    }
  }
  return result;
}

}  // namespace markeval::lexical
