#include "embed/token_vector_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/quotation.hpp"
#include "text/line_reader.hpp"
#include "text/table_reader.hpp"
#include "text/utf8.hpp"
#include "vectors/npy.hpp"

namespace markeval::embed {

/// One array and its table.
struct TokenVectorSource::TokenFile {
  vectors::Vectors rows;
  std::vector<std::int32_t> ids;
  std::vector<std::string> pieces;
  std::vector<std::uint8_t> special, starts_word;
  std::vector<TextRange> offsets;
  std::vector<std::size_t> starts{0};  ///< text i has rows [starts[i], starts[i + 1])
};

namespace {

constexpr std::array<std::string_view, 5> kColumns{"row", "segment", "id", "piece", "kind"};

struct TokenLine {
  std::size_t row = 0, segment = 0;
  std::int32_t id = 0;
  std::string_view piece;
  std::string_view kind = "word";
};

/// The lines of a table, each checked for itself.
class TokenLines {
 public:
  TokenLines(const std::string& path, const std::atomic<bool>* cancel) : table_(path, {false, cancel}) {
    const std::vector<std::string>& found = table_.columns();
    if (found.size() + 1 < kColumns.size() || found.size() > kColumns.size() ||
        !std::equal(found.begin(), found.end(), kColumns.begin())) {
      throw_invalid(
          fmt::format("{}:1: {}, expected the columns row, segment, id, piece and, where tokens are "
                      "no whole words, kind",
                      table_.lines().name(), in_quotes(fmt::format("{}", fmt::join(found, "\t")))));
    }
  }

  bool next(TokenLine& token) {
    if (!table_.next(cells_)) return false;
    token.row = number<std::size_t>(cells_[0], "row");
    token.segment = number<std::size_t>(cells_[1], "segment");
    token.id = number<std::int32_t>(cells_[2], "id");
    token.piece = cells_[3];
    if (token.id < 0) fail(fmt::format("id {}, expected 0 or more", token.id));
    if (cells_.size() == kColumns.size()) token.kind = cells_[4];
    if (token.kind != "word" && token.kind != "part" && token.kind != "special")
      fail(fmt::format("kind {}, expected word, part or special", in_quotes(token.kind)));
    return true;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw_invalid(fmt::format("{}:{}: {}", table_.lines().name(), table_.lines().line_number(), what));
  }

 private:
  template <typename Number>
  Number number(std::string_view cell, const char* name) const {
    Number value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size())
      fail(fmt::format("{} {}, expected a whole number", name, in_quotes(cell)));
    return value;
  }

  text::TableReader table_;
  std::vector<std::string_view> cells_;
};

constexpr std::size_t kMostMakerBytes = 1000;

/// "runs/a.npy" -> "runs/a"
std::string without_ending(const std::string& array) {
  return array.size() > 4 && array.ends_with(".npy") ? array.substr(0, array.size() - 4) : array;
}

}  // namespace

std::string token_table_of(const std::string& array) {
  return without_ending(array) + ".tokens.tsv";
}

std::string token_maker_file_of(const std::string& array) {
  return without_ending(array) + ".source.txt";
}

void TokenVectorSource::read_maker(const std::string& array) {
  const std::string file = token_maker_file_of(array);
  std::error_code unknown;
  std::string maker;
  if (std::filesystem::exists(file, unknown)) {
    text::LineReader lines(file);
    std::string_view line, more;
    if (lines.next(line)) maker = text::strip(line);
    if (maker.empty() || maker.size() > kMostMakerBytes || lines.next(more)) {
      throw_invalid(
          fmt::format("{}: expected one line of at most {} bytes, the name of whoever made the vectors", file,
                      kMostMakerBytes));
    }
  }
  if (maker.empty()) {
    if (unnamed_.empty()) unnamed_ = array;
  } else if (named_.empty()) {
    named_ = array;
    maker_ = maker;
  } else if (maker != maker_) {
    throw_invalid(
        fmt::format("{} has vectors made by '{}', but {} those made by '{}'", array, maker, named_, maker_));
  }
}

const std::string& TokenVectorSource::maker() const {
  if (unnamed_.empty()) return maker_;
  throw_invalid(fmt::format(
      "{} does not say who made its vectors, and a trained metric must know: write a name for them into {} "
      "(markeval embed --pool none does)",
      unnamed_, std::filesystem::path(token_maker_file_of(unnamed_)).filename().string()));
}

text::Corpus TokenVectorSource::read(const std::string& array, ThreadPool& pool,
                                     const std::atomic<bool>* cancel) {
  const std::string table = token_table_of(array);
  std::error_code unknown;
  if (!std::filesystem::exists(array, unknown))
    throw Error(ErrorCode::io, fmt::format("{}: no such file", array));
  if (!std::filesystem::exists(table, unknown)) {
    throw Error(ErrorCode::io, fmt::format("{}: no {} beside it, which says what token a row is: metrics on "
                                           "tokens need it (markeval embed --pool none writes both)",
                                           array, std::filesystem::path(table).filename().string()));
  }
  vectors::LayeredRows read = vectors::read_layered_npy(array, cancel);
  vectors::require_finite(read.rows, pool);
  const std::size_t rows = read.rows.rows(), width = read.rows.columns() / read.layers;
  if (files_.empty()) {
    layers_ = read.layers;
    width_ = width;
  } else if (layers_ != read.layers || width_ != width) {
    throw_invalid(fmt::format("{}: {} x {} (layers x columns), but {} has {} x {}", array, read.layers, width,
                              files_.front()->rows.name(), layers_, width_));
  }
  read_maker(array);
  const auto file = std::make_shared<TokenFile>(TokenFile{std::move(read.rows), {}, {}, {}, {}, {}, {0}});
  text::Corpus corpus;
  corpus.name = array;
  TokenLines lines(table, cancel);
  std::string text;
  const auto end_text = [&] {
    file->starts.push_back(file->ids.size());
    corpus.add(std::move(text));
    text.clear();
  };
  for (TokenLine token; lines.next(token);) {
    const std::size_t segments = corpus.segments();
    if (token.row != file->ids.size())
      lines.fail(
          fmt::format("row {}, expected {}: rows count from 0, without gaps", token.row, file->ids.size()));
    if (token.row >= rows) lines.fail(fmt::format("row {}, but {} has {} rows", token.row, array, rows));
    if (token.segment < segments + 1)
      lines.fail(fmt::format("segment {}, expected {} or more", token.segment, segments + 1));
    if (token.segment - 1 > token.row && token.segment - 1 - token.row > limit_of(Limit::empty_texts))
      throw_beyond(Limit::empty_texts, fmt::format("{}: segment {} in row {}: texts without a row", table,
                                                   token.segment, token.row));
    while (corpus.segments() + 1 < token.segment) end_text();  // texts without tokens among them
    const bool special = token.kind == "special", starts = token.kind != "part";
    TextRange range;
    if (!special) {
      if (starts && !text.empty()) text += ' ';
      const std::string_view bare = bare_piece(token.piece);
      range = {text.size(), text.size() + bare.size()};
      text += bare;
    }
    file->ids.push_back(token.id);
    file->pieces.emplace_back(token.piece);
    file->special.push_back(special ? 1 : 0);
    file->starts_word.push_back(starts && !special ? 1 : 0);
    file->offsets.push_back(range);
  }
  if (file->ids.size() != rows)
    throw_invalid(fmt::format("{}: {} tokens, but {} has {} rows", table, file->ids.size(), array, rows));
  end_text();
  for (std::size_t index = 0; index < corpus.texts.size(); ++index)
    texts_[corpus.texts[index].data()] = {file.get(), index, corpus.texts[index].size()};
  files_.push_back(file);
  return corpus;
}

TokenVectorSource::KnownText TokenVectorSource::place_of(std::string_view text) const {
  // White space at its begin may have been taken off.
  const auto after = texts_.upper_bound(text.data());
  const auto found = after == texts_.begin() ? texts_.end() : std::prev(after);
  const bool known = found != texts_.end() && text.data() + text.size() <= found->first + found->second.bytes;
  if (!known && text.empty()) return {};
  if (!known)
    throw_usage("token vectors have no tokenizer: only the texts of their own tables are known, no idf=FILE");
  return found->second;
}

TextTokens TokenVectorSource::tokens_at(const KnownText& place) const {
  TextTokens tokens;
  if (place.file == nullptr) return tokens;
  const TokenFile& file = *place.file;
  for (std::size_t row = file.starts[place.text]; row < file.starts[place.text + 1]; ++row) {
    tokens.ids.push_back(file.ids[row]);
    tokens.facts.push_back({file.pieces[row], file.special[row] != 0, file.starts_word[row] != 0});
    tokens.offsets.push_back(file.offsets[row]);
  }
  return tokens;
}

std::vector<TokenIds> TokenVectorSource::token_ids(std::span<const std::string_view> texts,
                                                   const RunContext& /*context*/) {
  std::vector<TokenIds> found;
  for (const std::string_view text : texts) {
    TextTokens tokens = tokens_at(place_of(text));
    const TextCounts counts = TextCounts::of_text(tokens.size(), 0, 0);
    found.push_back({std::move(tokens.ids), counts});
  }
  return found;
}

EncodedTexts TokenVectorSource::encode(std::span<const std::string_view> texts, const EncodeRequest& request,
                                       const TokenNeed& /*need*/, const RunContext& context) {
  assert(request.sentences.empty());
  EncodedTexts out(texts, request, width_, EncodedTexts::EqualTexts::apart);
  std::vector<KnownText> places;
  for (std::size_t place = 0; place < out.distinct(); ++place) {
    EncodedTexts::TextEntry& entry = out.entry(place);
    places.push_back(place_of(entry.text));
    entry.tokens = tokens_at(places.back());
    const auto specials = std::count_if(entry.tokens.facts.begin(), entry.tokens.facts.end(),
                                        [](const TokenFact& fact) { return fact.special; });
    entry.counts = TextCounts::of_text(entry.tokens.size() - static_cast<std::size_t>(specials), 0, 0);
  }
  out.allocate();
  context.pool.for_each(out.distinct(), [&](std::size_t place, std::size_t) {
    if (places[place].file == nullptr) return;
    const TokenFile& file = *places[place].file;
    const std::size_t first = file.starts[places[place].text];
    for (std::size_t index = 0; index < request.layers.size(); ++index) {
      const MatrixView<float> to = out.states(place, index);
      std::visit(
          [&](const auto& rows) {
            for (std::size_t token = 0; token < to.rows(); ++token) {
              const auto from = rows.row(first + token).subspan(request.layers[index] * width_, width_);
              for (std::size_t column = 0; column < width_; ++column)
                to(token, column) = static_cast<float>(from[column]);
            }
          },
          file.rows.view());
    }
  });
  return out;
}

}  // namespace markeval::embed
