// The writer of documents: what stands where in text, Markdown and LaTeX, and the blank lines between.
#include "report/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/lookup.hpp"
#include "base/quotation.hpp"
#include "report/cells.hpp"
#include "report/table_text.hpp"

namespace markeval::report {
namespace {

/// What readers of a table may ask.
struct Signs {
  bool arrow = false, better = false, worse = false;

  void see(const Table& table) {
    for (const ReportColumn& column : table.columns) arrow = arrow || column.arrow;
    if (!table.tested) return;
    for (const auto& row : table.rows) {
      for (const Cell& cell : row) {
        better = better || cell.verdict == Verdict::better;
        worse = worse || cell.verdict == Verdict::worse;
      }
    }
  }
};

/// In LaTeX a comment.
std::string line_in(TableStyle style, const std::string& line) {
  return (style == TableStyle::latex ? "% " + printable(line) : escaped(line, style)) + "\n";
}

}  // namespace

void ReportText::caption(std::string text, Where where) {
  blocks_.push_back({ReportBlock::Role::caption, where, std::move(text)});
}
void ReportText::sentence(std::string text, Where where) {
  blocks_.push_back({ReportBlock::Role::sentence, where, std::move(text)});
}
void ReportText::table(Table table, Where where) {
  blocks_.push_back({ReportBlock::Role::table, where, {}, std::move(table)});
}
void ReportText::lines(std::string written) {
  blocks_.push_back({ReportBlock::Role::lines, Where::text, std::move(written)});
}
void ReportText::legend() {
  blocks_.push_back({ReportBlock::Role::legend, Where::everywhere});
}
void ReportText::set_baseline(std::string system, double alpha) {
  baseline_ = std::move(system);
  alpha_ = alpha;
}
void ReportText::add_signatures(const std::vector<std::string>& signatures) {
  for (const std::string& one : signatures) {
    if (!one.empty()) add_once(signatures_, one);
  }
}

std::string ReportText::write(const TextOptions& options) const {
  const bool text = options.style == TableStyle::text;
  std::string out;
  Signs open, told;
  bool captioned = true;  // nothing stands above
  const auto add = [&](const std::string& line, bool apart) {
    const bool paragraph = options.style == TableStyle::markdown;
    if ((apart || paragraph) && !out.empty()) out += "\n";
    out += line_in(options.style, text ? wrapped(line, options.line_width) : line) +
           (apart && paragraph ? "\n" : "");
  };
  for (const ReportBlock& block : blocks_) {
    if (block.where == (text ? Where::papers : Where::text)) continue;
    switch (block.role) {
      case ReportBlock::Role::caption:
        add(block.text, true);
        break;
      case ReportBlock::Role::sentence:
        add(block.text, false);
        break;
      case ReportBlock::Role::table:
        if (!captioned) out += "\n";
        out += to_text(block.table, options);
        open.see(block.table);
        break;
      case ReportBlock::Role::lines:
        out += (captioned ? "" : "\n") + block.text;
        break;
      case ReportBlock::Role::legend:
        const bool better = open.better && !told.better, worse = open.worse && !told.worse;
        if (better || worse)
          add(fmt::format("{}{}{} than {} (p adjusted <= {})", better ? "* better" : "",
                          better && worse ? ", " : "", worse ? "\u2020 worse" : "", baseline_, alpha_),
              false);
        if (open.arrow && !told.arrow) add("\u2193 lower is better", false);
        told = open;
        break;
    }
    captioned = block.role == ReportBlock::Role::caption;
  }
  return out + signature_block(options);
}

std::string ReportText::signature_block(const TextOptions& options) const {
  if (signatures_.empty()) return "";
  if (options.style == TableStyle::text && signatures_.size() > 1 && !options.signatures)
    return fmt::format("\n{} signatures: {}\n", signatures_.size(), options.signatures_stand);
  std::string out = "\n";
  for (const std::string& one : signatures_) {
    const std::string line = tsv_field("signature: " + one);  // names of models and files are in it
    out += options.style == TableStyle::markdown ? fmt::format("<!-- {} -->\n", line)
                                                 : line_in(options.style, line);
  }
  return out;
}

}  // namespace markeval::report
