// Each field becomes a CLI11 option; after parsing its words are checked and stored in the request. The
// options common to all commands are here too.
#include "cli/request_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/markeval.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/words.hpp"

namespace markeval::cli {
namespace {

std::string option_names(const Field& field) {
  if (!field.option.empty()) return std::string(field.option);
  std::string name = "--" + field.name;
  std::ranges::replace(name, '_', '-');
  return name;
}

bool is_flag(const Field& field) {
  return field.kind == ValueKind::flag && field.choices.empty();
}

/// Reads the words given for an option into the place of its field.
class WordReader {
 public:
  WordReader(const Field& field, const CLI::Option& option)
      : field_(field), given_(option.results()), words_(option_names(field)) {
    std::ranges::transform(given_, given_.begin(), as_typed);
  }

  void operator()(bool* target) const { *target = field_.choices.empty() || word() == field_.choices.back(); }
  void operator()(std::string* target) const { *target = word(); }
  void operator()(std::vector<std::string>* target) const {
    for (const std::string& one : given_) require_fit(field_, name(), one);
    *target = given_;
  }
  void operator()(std::vector<Metric>* target) const {
    const std::vector<std::string> metrics = split_metrics(given_);
    refuse_files_among_metrics(metrics);
    target->assign(metrics.begin(), metrics.end());
  }
  void operator()(std::uint64_t* target) const { *target = number<std::uint64_t>(); }
  void operator()(double* target) const { *target = number<double>(); }
  template <typename Number>
  void operator()(std::optional<Number>* target) const {
    *target = number<Number>();
  }
  void operator()(std::optional<int>* target) const {
    target->reset();
    if (word() == "all") return;
    const auto [end, failed] =
        std::from_chars(word().data(), word().data() + word().size(), target->emplace());
    if (failed != std::errc() || end != word().data() + word().size())
      throw_usage(fmt::format("{} '{}', expected {}", name(), word(), expected_value(field_)));
  }

 private:
  /// What messages call it: "--output" of "-o,--output" is "-o".
  std::string name() const { return words_.substr(0, words_.find(',')); }

  /// An empty name of a file is an unset variable of a script, not a wish to do without: no token, no page.
  const std::string& word() const {
    require_fit(field_, name(), given_.front());
    return given_.front();
  }
  template <typename Number>
  Number number() const {
    return std::get<Number>(parse_value(field_, name(), given_.front()));
  }

  const Field& field_;
  std::vector<std::string> given_;
  std::string words_;
};

using FieldOption = std::pair<Field, const CLI::Option*>;

/// An option for every field that has one.
std::vector<FieldOption> add_options(CLI::App& command, const std::vector<Field>& fields) {
  std::vector<FieldOption> options;
  for (const Field& field : fields) {
    if (field.option == request::kNoOption) continue;
    const std::string names = option_names(field);
    CLI::Option* option = nullptr;
    if (is_flag(field)) {
      option = command.add_flag(names, field.meaning);
    } else {
      option = command.add_option(
          names, [](const CLI::results_t&) { return true; }, field.meaning);
      option->type_name(std::string(field.words));
      if (field.kind == ValueKind::list)
        option->expected(CLI::detail::expected_max_vector_size)->allow_extra_args(field.several);
    }
    if (!field.listed) option->group("");
    options.emplace_back(field, option);
  }
  command.allow_extras();  // require_no_leftovers answers them
  return options;
}

}  // namespace

void run_when_chosen(CLI::App& command, const std::vector<Field>& fields, std::function<void()> run) {
  command.callback([&command, options = add_options(command, fields), run = std::move(run)] {
    require_no_leftovers(command);
    for (const auto& [field, option] : options) {
      if (option->count() > 0) std::visit(WordReader(field, *option), field.target);
    }
    run();
  });
}

std::vector<Field> fields_of(CommonOptions& options, std::string_view formats) {
  options.formats = formats;
  return {
      Field{"format", &options.format, formats, "How to write the results (by the ending of -o, else text)"}
          .one_of_words(),
      Field{"output", &options.output, "FILE",
            "Write the results here, whole or not at all (standard output)"}
          .as("-o,--output")
          .naming_a_file(),
      Field{"quiet", &options.quiet, "", "No progress, no warnings"}.as("-q,--quiet")};
}

void choose_format(CommonOptions& options, std::string* page) {
  static constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
      {".json", "json"}, {".tsv", "tsv"},   {".csv", "csv"}, {".md", "markdown"},
      {".tex", "latex"}, {".html", "html"}, {".htm", "html"}};
  if (options.format.empty()) {
    options.format = "text";
    for (const auto& [ending, format] : kEndings) {
      if (options.output.ends_with(ending)) options.format = format;
    }
    const bool known =
        fmt::format("|{}|", options.formats).find(fmt::format("|{}|", options.format)) != std::string::npos;
    for (const char* ending : {".jsonl", ".xml", ".yaml", ".yml", ".pdf", ".png", ".svg", ".xls", ".xlsx",
                               ".doc", ".docx", ".npy"}) {
      if (options.output.ends_with(ending))
        throw_usage(
            fmt::format("-o '{}': {} cannot be written; expected .json, .tsv, .csv, .html or another name "
                        "with --format",
                        options.output, ending));
    }
    if (!known)
      throw_usage(fmt::format("-o '{}': this command does not write {}; choose one with --format {}",
                              options.output, options.format, options.formats));
  }
  if (options.format != "html" || page == nullptr) return;
  if (!page->empty())
    throw_usage(fmt::format("--report '{}' and -o '{}' both ask for the page, expected one of them", *page,
                            options.output));
  *page = options.output.empty() ? "-" : std::exchange(options.output, "");
}

Field report_field(std::string& file) {
  return Field{"report", &file, "FILE", "Write a page with charts to this file (HTML)"}.naming_a_file();
}

void add_fields(std::vector<Field>& fields, const std::vector<Field>& more, std::string_view before) {
  const auto position = std::ranges::find(fields, before, &Field::name);
  fields.insert(position, more.begin(), more.end());
}

void remove_fields(std::vector<Field>& fields, const std::vector<std::string_view>& names) {
  std::erase_if(fields,
                [&](const Field& field) { return std::ranges::find(names, field.name) != names.end(); });
}

}  // namespace markeval::cli
