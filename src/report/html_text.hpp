// Text and numbers as they stand in HTML and SVG. Whatever a file holds becomes text: never a tag, never a
// byte XML forbids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace markeval::report {

/// For text and for attribute values in double quotes. Invalid UTF-8 becomes U+FFFD, a control character its
/// picture.
///   a < b & "c"  ->  a &lt; b &amp; &quot;c&quot;
std::string escape(std::string_view text);

/// 1234567 -> 1,234,567
std::string with_commas(std::uint64_t count);
/// "1 segment", "2 segments", "1,200 segments".
std::string counted(std::uint64_t count, std::string_view thing);

/// The code points of valid UTF-8 (an invalid byte is U+FFFD), one at a time: moves `at` behind it.
char32_t next_code_point(std::string_view text, std::size_t& at);

/// About how wide the text is in a sans-serif face of this size: enough to keep labels apart.
double text_width(std::string_view text, double size);
/// The text, or its beginning and an ellipsis, not wider than `width`.
std::string fit_text(std::string_view text, double size, double width);

}  // namespace markeval::report
