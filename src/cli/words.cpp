#include "cli/words.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"

namespace markeval::cli {
namespace {

bool is_option(const std::string& word) {
  return word.size() > 1 && word.starts_with('-');
}
bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}
bool repeatable(const CLI::Option& option) {
  return option.get_expected_max() > 1;
}

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

  void read_option() {
    const std::string word = words_[next_], name = option_name(word);
    const CLI::Option* option = find(name);
    before_ = nullptr;
    ++next_;
    if (option == nullptr || !takes_value(*option)) return read_flags(word);
    bool attached = word.size() > name.size();
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
    } else {
      before_ = &option;
      before_name_ = name;
    }
  }

  void read_word() {
    const std::string& word = words_[next_++];
    for (const CLI::App* sub : command_->get_subcommands([](const CLI::App*) { return true; })) {
      if (sub->get_name() != word) continue;
      command_ = sub;
      return;
    }
    std::size_t places = 0;
    for (const CLI::Option* option : command_->get_options()) {
      if (option->get_positional()) places += static_cast<std::size_t>(option->get_expected_max());
    }
    if (++found_ > places && before_ != nullptr)
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
  return WordCheck(app, std::move(words)).run();
}

}  // namespace markeval::cli
