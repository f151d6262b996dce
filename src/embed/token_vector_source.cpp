// Reading of the array, its .tokens.tsv and its .source.txt, with checks that they fit together.
#include "embed/token_vector_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/plain_text.hpp"
#include "base/quotation.hpp"
#include "text/line_reader.hpp"
#include "text/table_reader.hpp"
#include "text/utf8.hpp"
#include "vectors/npy.hpp"

namespace markeval::embed {

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
  explicit TokenLines(const std::string& path) : table_(path) {
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
    const auto value = read_number<Number>(cell);
    if (!value) fail(fmt::format("{} {}, expected a whole number", name, in_quotes(cell)));
    return *value;
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

text::Corpus TokenVectorSource::read(const std::string& array, ThreadPool& pool) {
  const std::string table = token_table_of(array);
  std::error_code unknown;
  if (!std::filesystem::exists(array, unknown))
    throw Error(ErrorCode::io, fmt::format("{}: no such file", array));
  if (!std::filesystem::exists(table, unknown)) {
    throw Error(ErrorCode::io, fmt::format("{}: no {} beside it, which says what token a row is: metrics on "
                                           "tokens need it (markeval embed --pool none writes both)",
                                           array, std::filesystem::path(table).filename().string()));
  }
  TokenFile file{vectors::read_npy(array, vectors::NpyShape::layered)};
  vectors::require_finite(file.rows, pool);
  const std::size_t rows = file.rows.rows(), layers = file.rows.layers();
  const std::size_t width = file.rows.columns() / layers;
  if (files_.empty()) {
    layers_ = layers;
    width_ = width;
  } else if (layers_ != layers || width_ != width) {
    throw_invalid(fmt::format("{}: {} x {} (layers x columns), but {} has {} x {}", array, layers, width,
                              files_.front().rows.name(), layers_, width_));
  }
  read_maker(array);
  text::Corpus corpus;
  corpus.name = array;
  TokenLines lines(table);
  std::string text;
  TextTokens tokens;
  const auto end_text = [&] {
    file.texts.push_back(std::exchange(tokens, {}));
    corpus.add(std::exchange(text, {}));
  };
  for (TokenLine token; lines.next(token);) {
    const std::size_t segments = corpus.segments();
    if (token.row != file.pieces.size())
      lines.fail(
          fmt::format("row {}, expected {}: rows count from 0, without gaps", token.row, file.pieces.size()));
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
    tokens.ids.push_back(token.id);
    tokens.facts.push_back({file.pieces.emplace_back(token.piece), special, starts && !special});
    tokens.offsets.push_back(range);
  }
  if (file.pieces.size() != rows)
    throw_invalid(fmt::format("{}: {} tokens, but {} has {} rows", table, file.pieces.size(), array, rows));
  end_text();
  const TokenFile& kept = files_.emplace_back(std::move(file));
  std::size_t first_row = 0;
  for (std::size_t index = 0; index < corpus.texts.size(); ++index) {
    const std::string& written = corpus.texts[index];
    texts_[written.data()] = {&kept.rows, first_row, &kept.texts[index], written.size()};
    first_row += kept.texts[index].size();
  }
  return corpus;
}

TokenVectorSource::KnownText TokenVectorSource::find(std::string_view text) const {
  static const TextTokens kNoTokens;
  // White space at its begin may have been taken off.
  const auto after = texts_.upper_bound(text.data());
  const auto found = after == texts_.begin() ? texts_.end() : std::prev(after);
  if (found != texts_.end() && text.data() + text.size() <= found->first + found->second.bytes)
    return found->second;
  if (!text.empty())
    throw_usage("token vectors have no tokenizer: only the texts of their own tables are known, no idf=FILE");
  return {nullptr, 0, &kNoTokens, 0};
}

std::vector<TokenIds> TokenVectorSource::token_ids(std::span<const std::string_view> texts,
                                                   const RunContext& /*context*/) {
  std::vector<TokenIds> found;
  for (const std::string_view text : texts) {
    const TextTokens& tokens = *find(text).tokens;
    found.push_back({tokens.ids, TextCounts::of_text(tokens.size(), 0, 0)});
  }
  return found;
}

EncodedTexts TokenVectorSource::encode(std::span<const std::string_view> texts, const EncodeRequest& request,
                                       const TokenNeed& /*need*/, const RunContext& context) {
  assert(request.sentences.empty());
  EncodedTexts out(texts, request, width_, EncodedTexts::EqualTexts::apart);
  std::vector<KnownText> known;
  for (std::size_t slot = 0; slot < out.distinct(); ++slot) {
    EncodedTexts::TextEntry& entry = out.entry(slot);
    known.push_back(find(entry.text));
    entry.tokens = *known.back().tokens;
    const auto specials = std::count_if(entry.tokens.facts.begin(), entry.tokens.facts.end(),
                                        [](const TokenFact& fact) { return fact.special; });
    entry.counts = TextCounts::of_text(entry.tokens.size() - static_cast<std::size_t>(specials), 0, 0);
  }
  out.allocate();
  context.pool.for_each(out.distinct(), [&](std::size_t slot, std::size_t) {
    if (known[slot].rows == nullptr) return;
    for (std::size_t index = 0; index < request.layers.size(); ++index) {
      const MatrixView<float> to = out.states(slot, index);
      std::visit(
          [&](const auto& rows) {
            for (std::size_t token = 0; token < to.rows(); ++token) {
              const auto from =
                  rows.row(known[slot].first_row + token).subspan(request.layers[index] * width_, width_);
              std::ranges::transform(from, to.row(token).begin(),
                                     [](auto value) { return static_cast<float>(value); });
            }
          },
          known[slot].rows->view());
    }
  });
  return out;
}

}  // namespace markeval::embed
