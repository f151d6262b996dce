// Checks of the raw words before parsing: other spellings of an option, several flags in one word, a missing
// value, an option given twice.
#include "cli/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"

namespace markeval::cli {
namespace {

constexpr char kMark = '\x1f';

/// "-:ref" is a column of standard input.
bool is_option(const std::string& word) {
  return word.size() > 1 && word.starts_with('-') && word[1] != ':';
}
bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}
bool repeatable(const CLI::Option& option) {
  return option.get_expected_max() > 1;
}

/// Options that go by several names: a command has one of each line, and takes them all.
constexpr std::array kSameOptions{
    std::array<std::string_view, 4>{"--reference", "--ref", "--references", "--refs"},
    std::array<std::string_view, 4>{"--hyp", "--hypothesis", "--hypotheses", "--candidate"},
    std::array<std::string_view, 4>{"--system", "--sys", "--systems", "--hyp"},
    std::array<std::string_view, 4>{"--metric", "--metrics", "", ""},
    std::array<std::string_view, 4>{"--format", "-f", "", ""},
};

/// "--format=json" -> "--format", "-m=bleu" and "-mbleu" -> "-m".
std::string option_name(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

class WordCheck {
 public:
  WordCheck(const CLI::App& app, std::vector<std::string> words) : command_(&app), words_(std::move(words)) {}

  std::vector<std::string> run() {
    while (next_ < words_.size() && words_[next_] != "--") {
      if (is_option(words_[next_])) {
        read_option();
      } else {
        read_word();
      }
    }
    return std::move(words_);
  }

 private:
  const CLI::Option* find(const std::string& name) const { return command_->get_option_no_throw(name); }

  /// "--metrics=bleu" -> "--metric=bleu" where the command has only the latter.
  void use_known_name() {
    std::string& word = words_[next_];
    const std::string name = option_name(word);
    if (find(name) != nullptr) return;
    for (const auto& same : kSameOptions) {
      if (std::ranges::find(same, name) == same.end()) continue;
      for (const std::string_view other : same) {
        if (other.empty() || find(std::string(other)) == nullptr) continue;
        std::string value = word.substr(name.size());
        if (!value.empty() && value.front() != '=') value.insert(0, "=");  // -fjson
        word = std::string(other) + value;
        return;
      }
    }
  }

  void read_option() {
    use_known_name();
    const std::string word = words_[next_], name = option_name(word);
    const CLI::Option* option = find(name);
    before_ = nullptr;
    ++next_;
    if (option == nullptr || !takes_value(*option)) return read_flags(word);
    bool attached = word.size() > name.size();
    if (attached && !is_ordinary_file(word.substr(name.size()))) refuse_habit(word);  // -sl is no -s l
    if (attached && !word.starts_with("--") && word[2] == '=') {
      words_[next_ - 1] = name;
      words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(next_), word.substr(3));
      attached = false;
    }
    read_value(*option, name, attached);
  }

  /// "-qo FILE": flags in one word, of which the last may take a value. What is unknown is answered later.
  void read_flags(const std::string& word) {
    if (word.starts_with("--")) return;
    for (std::size_t i = 2; i < word.size(); ++i) {
      const std::string name{'-', word[i]};
      const CLI::Option* option = find(name);
      if (option != nullptr && takes_value(*option)) return read_value(*option, name, i + 1 < word.size());
    }
  }

  void read_value(const CLI::Option& option, const std::string& name, bool attached) {
    if (!repeatable(option) && !given_.insert(&option).second)
      throw_usage(fmt::format("{} is given twice", name));
    if (!attached) {
      const bool missing =
          next_ == words_.size() || (is_option(words_[next_]) && find(option_name(words_[next_])) != nullptr);
      if (missing)
        throw_usage(fmt::format("{} has no value, expected {} {}", name, name, option.get_type_name()));
      ++next_;
    }
    if (!repeatable(option)) return;
    if (option.get_allow_extra_args()) {
      while (next_ < words_.size() && !is_option(words_[next_])) ++next_;
    } else if (names_references(name) && names_systems()) {
      for (; next_ < words_.size() && !is_option(words_[next_]); next_ += 2)
        words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(next_), name);
    } else {
      before_ = &option;
      before_name_ = name;
    }
  }

  /// "-r a.txt b.txt" are two references where systems have their own option; else b.txt is a system.
  static bool names_references(const std::string& name) { return name == "-r" || name == "--reference"; }
  bool names_systems() const {
    return find("--system") != nullptr && std::ranges::any_of(words_, [&](const std::string& word) {
             if (!is_option(word)) return false;
             const std::string name = option_name(word);
             const auto& names = kSameOptions[2];
             return name == "-s" || std::ranges::find(names, name) != names.end();
           });
  }

  void read_word() {
    const std::string& word = words_[next_++];
    for (const CLI::App* sub : command_->get_subcommands([](const CLI::App*) { return true; })) {
      if (sub->get_name() != word) continue;
      command_ = sub;
      return;
    }
    std::size_t positionals = 0;
    for (const CLI::Option* option : command_->get_options()) {
      if (option->get_positional()) positionals += static_cast<std::size_t>(option->get_expected_max());
    }
    if (++found_ > positionals && before_ != nullptr)
      throw_usage(fmt::format("unexpected argument '{}', expected another {} before it", word, before_name_));
    before_ = nullptr;
  }

  const CLI::App* command_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
  std::size_t found_ = 0;                ///< words that are no option and no option's value
  const CLI::Option* before_ = nullptr;  ///< whose value the word before was, where it can be repeated
  std::string before_name_;
  std::set<const CLI::Option*> given_;
};

}  // namespace

std::vector<std::string> checked_words(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> words = sacrebleu_words({argv + 1, argv + argc});
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    if (words.size() == 1 && is_metric(words[0])) {
      words.insert(words.begin(), "metrics");
    } else {
      words.emplace_back("--help");
    }
  }
  const auto asks_version = [&](const std::string& word) {
    return word == "--version" || (&word == &words.front() && (word == "version" || word == "-v"));
  };
  if (std::ranges::any_of(words, asks_version)) return {"--version"};
  words = WordCheck(app, std::move(words)).run();
  for (std::string& word : words) {
    if (word.starts_with("-:")) word.insert(0, 1, kMark);
  }
  return words;
}

std::string as_typed(const std::string& word) {
  return word.starts_with(kMark) ? word.substr(1) : word;
}

}  // namespace markeval::cli
