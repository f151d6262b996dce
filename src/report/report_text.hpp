// A report for people as data: captions, tables and sentences in the order in which they are read. One writer
// makes text, Markdown or LaTeX of it; pages are made of the same tables.
#pragma once

#include <string>
#include <vector>

#include "base/text_options.hpp"
#include "report/table.hpp"

namespace markeval::report {

/// Papers are Markdown and LaTeX: they have the tables one would print, and text has all.
enum class Where { everywhere, text, papers };

class ReportText {
 public:
  /// A line that begins a part; in LaTeX a comment.
  void caption(std::string text, Where where = Where::everywhere);
  void sentence(std::string text, Where where = Where::text);
  void table(Table table, Where where = Where::everywhere);
  /// A table that is written already; in text only.
  void lines(std::string written);
  /// What the arrows and marks of the tables above mean, where nothing said it yet.
  void legend();
  /// What the marks of its tables are held against: the first system, and the level of the tests.
  void set_baseline(std::string system, double alpha);
  void add_signatures(const std::vector<std::string>& signatures);

  /// As the options want it; the signatures come last, each once, or where they stand.
  std::string write(const TextOptions& options) const;

 private:
  struct ReportBlock {
    enum class Role { caption, sentence, table, lines, legend } role;
    Where where;
    std::string text{};
    Table table{};
  };

  std::string signature_block(const TextOptions& options) const;

  std::vector<ReportBlock> blocks_;
  std::vector<std::string> signatures_;
  std::string baseline_;
  double alpha_ = 0;
};

}  // namespace markeval::report
