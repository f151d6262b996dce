// Is a text well-formed XML? Enough of it for our own SVG and HTML: elements, attributes in double quotes,
// text with the five named and numeric references, comments, a declaration. HTML's void elements are closed
// where asked for.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace markeval::testing {

class XmlCheck {
 public:
  explicit XmlCheck(std::string_view text, bool html = false) : text_(text), html_(html) { run(); }
  const std::string& fault() const { return fault_; }  ///< empty where it is well-formed
  std::size_t count(std::string_view element) const {
    return static_cast<std::size_t>(std::count(elements_.begin(), elements_.end(), element));
  }

 private:
  void run() {
    std::vector<std::string> open;
    std::size_t at = 0;
    while (at < text_.size() && fault_.empty()) {
      if (html_ && !open.empty() && (open.back() == "style" || open.back() == "script")) {
        at = std::min(text_.find("</" + open.back(), at), text_.size());  // not markup
      }
      if (at < text_.size() && text_[at] != '<') {
        const std::size_t end = std::min(text_.find('<', at), text_.size());
        check_text(text_.substr(at, end - at));
        at = end;
        continue;
      }
      const std::size_t end = text_.find('>', at);
      if (end == std::string_view::npos) return fail("a tag without end");
      std::string_view tag = text_.substr(at + 1, end - at - 1);
      at = end + 1;
      if (tag.starts_with("?") || tag.starts_with("!DOCTYPE")) continue;
      if (tag.starts_with("/")) {
        if (open.empty() || open.back() != tag.substr(1))
          return fail("</" + std::string(tag.substr(1)) + "> closes nothing");
        open.pop_back();
        continue;
      }
      const bool closed = tag.ends_with("/");
      if (closed) tag.remove_suffix(1);
      const std::string name(tag.substr(0, tag.find_first_of(" \n")));
      elements_.push_back(name);
      check_attributes(tag.substr(name.size()));
      constexpr std::array kVoid{"meta", "link", "br", "wbr", "input"};
      if (!closed && !(html_ && std::find(kVoid.begin(), kVoid.end(), name) != kVoid.end()))
        open.push_back(name);
    }
    if (!open.empty()) fail("<" + open.back() + "> is not closed");
  }

  void check_text(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r') return fail("a control character");
      if (text[at] != '&') continue;
      const std::string_view rest = text.substr(at);
      constexpr std::array kNames{"&amp;", "&lt;", "&gt;", "&quot;", "&#"};
      if (std::none_of(kNames.begin(), kNames.end(),
                       [&](const char* name) { return rest.starts_with(name); }))
        return fail("a bare &");
    }
  }

  void check_attributes(std::string_view text) {
    while (true) {
      const std::size_t begin = text.find_first_not_of(" \n");
      if (begin == std::string_view::npos) return;
      const std::size_t equals = text.find("=\"", begin);
      const std::size_t end = equals == std::string_view::npos ? equals : text.find('"', equals + 2);
      if (end == std::string_view::npos) return fail("a broken attribute: " + std::string(text));
      check_text(text.substr(equals + 2, end - equals - 2));
      text.remove_prefix(end + 1);
    }
  }

  void fail(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }

  std::string_view text_;
  bool html_;
  std::string fault_;
  std::vector<std::string> elements_;
};

}  // namespace markeval::testing
