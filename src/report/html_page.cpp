// The frame of the page (head, sections, inputs, command), and small building blocks of HTML.
#include "report/html_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/lookup.hpp"
#include "base/version.hpp"
#include "report/html_text.hpp"
#include "report/page_files.hpp"
#include "report/svg_style.hpp"
#include "report/table_html.hpp"

namespace markeval::report {
namespace {

std::string inputs_html(const std::vector<PageInput>& inputs) {
  if (inputs.empty()) return "";
  Table table{"Inputs", {"input", {"file", CellKind::code}}, {}};
  const bool files = std::ranges::any_of(inputs, [](const PageInput& input) { return input.bytes > 0; });
  if (files) table.columns.emplace_back("size", CellKind::bytes);
  std::vector<std::string> names;  // of the counts, in order of appearance
  for (const PageInput& input : inputs) {
    for (const auto& [name, count] : input.counts) {
      if (count > 0) add_once(names, name);
    }
  }
  for (const std::string& name : names) table.columns.emplace_back(name, CellKind::number);
  if (files) table.columns.emplace_back("sha256", CellKind::code);
  for (const PageInput& input : inputs) {
    auto& row = table.rows.emplace_back();
    row = {input.role, input.file};
    if (files) row.push_back(input.bytes > 0 ? Cell(input.bytes) : Cell(""));
    for (const std::string& name : names) {
      const std::uint64_t* found = find_named(input.counts, name);
      row.push_back(found == nullptr ? Cell("") : Cell(*found));
    }
    if (files) row.emplace_back(input.sha256);
  }
  return to_html(table);
}

/// Escaped, with each --option in one piece: a line is broken after its dashes otherwise.
std::string with_whole_options(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find("--", at), text.size());
    out += escape(text.substr(at, begin - at));
    const std::size_t end = std::min(text.find_first_of(" ,;:.)'", begin), text.size());
    if (begin < end)
      out += fmt::format("<span class=\"o\">{}</span>", escape(text.substr(begin, end - begin)));
    at = end;
  }
  return out;
}

std::string box_html(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string out = fmt::format("<aside><h2>{}</h2>\n<ul>\n", title);
  for (const std::string& warning : lines) out += fmt::format("<li>{}</li>\n", with_whole_options(warning));
  return out + "</ul></aside>\n";
}

std::string remake_html(const PageFacts& facts) {
  std::string out = inputs_html(facts.inputs);
  if (facts.command.empty()) return out;
  std::string words;
  for (const std::string& word : facts.command)
    words += (words.empty() ? "" : " ") + name_html(shell_words({word}));
  return out +
         fmt::format(
             "<p>markeval {} made this page. This command makes it again:</p>\n<pre><code>{}</code></pre>\n",
             escape(version()), words);
}

}  // namespace

std::string name_html(std::string_view name) {
  constexpr std::size_t kShort = 24;  // a longer one may be wider than a phone, and is a block that can break
  return fmt::format("<span class=\"{}\">{}</span>", name.size() <= kShort ? "o" : "w", escape(name));
}

std::string paragraph(std::string_view text) {
  return fmt::format("<p>{}</p>\n", escape(text));
}

std::string note(std::string_view text) {
  return fmt::format("<p class=\"note\">{}</p>\n", escape(text));
}

std::string subtitle(std::string_view text) {
  return fmt::format("<h3>{}</h3>\n", escape(text));
}

std::string signature_line(std::string_view signature) {
  return fmt::format("<p class=\"signature\"><span>signature</span> <code>{}</code></p>\n",
                     escape(signature));
}

std::string folded(std::string_view summary, std::string_view html) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escape(summary), html);
}

std::string charts(const std::vector<SvgCanvas>& canvases) {
  if (canvases.empty()) return "";
  // Four stand better two by two than three and one.
  std::string out = canvases.size() == 4 ? "<div class=\"charts two\">\n" : "<div class=\"charts\">\n";
  for (const SvgCanvas& canvas : canvases) out += "<figure>" + canvas.inline_svg() + "</figure>\n";
  return out + "</div>\n";
}

std::string beside(std::string_view chart, std::string_view table) {
  return fmt::format("<div class=\"beside\">{}<div>{}</div></div>\n", chart, table);
}

std::string split(std::string_view table, std::string_view cards) {
  return fmt::format("<div class=\"split\"><div>{}</div>\n{}</div>\n", table, cards);
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             std::string_view("_./:=,+@%-").find(c) != std::string_view::npos;
    });
    if (!out.empty()) out += ' ';
    if (plain) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) c == '\'' ? out += "'\\''" : out += c;
    out += '\'';
  }
  return out;
}

std::string html_page(const PageFacts& facts, const std::vector<PageSection>& sections) {
  std::vector<PageSection> shown;
  std::ranges::copy_if(sections, std::back_inserter(shown),
                       [](const PageSection& s) { return !s.html.empty(); });
  if (std::string remake = remake_html(facts); !remake.empty())
    shown.push_back({facts.command.empty() ? "Inputs" : "Inputs and command", std::move(remake)});
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
      "'unsafe-inline'; script-src '{}' '{}'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"markeval "
      "{}\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n",
      script_hash("page.js"), script_hash("explore.js"), escape(version()), escape(facts.title),
      page_file("style.css"), chart_style());
  const Headline& found = facts.headline;
  out += fmt::format("<header>\n<p class=\"kicker\">markeval {}</p>\n<h1>{}</h1>\n", escape(version()),
                     found.text.empty() ? escape(facts.title) : found.text);
  if (!found.detail.empty()) out += fmt::format("<p class=\"lead\">{}</p>\n", found.detail);
  std::string about = found.text.empty() ? "" : facts.title;
  if (!facts.summary.empty()) about += (about.empty() ? "" : " \u00b7 ") + facts.summary;
  if (!about.empty()) out += fmt::format("<p class=\"about\">{}</p>\n", escape(about));
  out += "</header>\n<nav>";
  for (std::size_t i = 0; i < shown.size(); ++i) {
    out += fmt::format("<a href=\"#part-{}\">{}</a>\n", i + 1, escape(shown[i].title));
  }
  const std::string boxes =
      box_html("Not computed", facts.errors) + box_html("To keep in mind", facts.warnings);
  out += "</nav>\n<main>\n" + boxes;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    out += fmt::format("<section id=\"part-{}\">\n<h2>{}</h2>\n{}</section>\n", i + 1, escape(shown[i].title),
                       shown[i].html);
  }
  return out + fmt::format("</main>\n<script>{}</script>\n</body>\n</html>\n", page_file("page.js"));
}

}  // namespace markeval::report
