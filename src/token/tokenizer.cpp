// The steps for a text: added tokens, normaliser, pre-tokenizer, model, special tokens, offsets.
#include "token/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/json_reader.hpp"
#include "base/limits.hpp"
#include "base/quotation.hpp"
#include "token/added_tokens.hpp"
#include "token/json_fields.hpp"
#include "token/model.hpp"
#include "token/normalizer.hpp"
#include "token/post_processor.hpp"
#include "token/pre_tokenizer.hpp"
#include "token/tokenizer_files.hpp"
#include "token/unicode.hpp"

namespace markeval::token {
namespace {

/// Places in a text are numbers of 32 bits, and some steps write eight bytes for one.
constexpr std::size_t kMostTextBytes = std::numeric_limits<std::uint32_t>::max() / 8;
constexpr std::uint64_t kMostGrowth = 16;  ///< bytes for each byte of a text, beside Limit::normalized_bytes

}  // namespace

std::size_t most_text_bytes(std::size_t bytes) {
  const std::uint64_t most = limit_of(Limit::normalized_bytes) + kMostGrowth * std::uint64_t{bytes};
  return static_cast<std::size_t>(std::min<std::uint64_t>(most, kMostTextBytes));
}

void require_text_room(std::size_t bytes, std::size_t most) {
  check_cancelled();
  if (bytes > most)
    throw_beyond(Limit::normalized_bytes, fmt::format("the tokenizer makes {} bytes of a text", bytes));
}

struct TokenizerScratch::State {
  AlignedText segment;
  std::vector<Piece> raw_pieces;
  PieceList list;
  PieceList spare;
  NormalizerScratch normalizer;
  ModelScratch model;
  std::vector<Token> tokens;             // bytes of list.text
  std::vector<std::uint32_t> pieces_of;  // the piece each token came from
};

struct Tokenizer::Parts {
  std::uint64_t serial = 0;  // tells caches apart
  std::unique_ptr<Normalizer> normalizer;
  std::unique_ptr<PreTokenizer> pre_tokenizer;
  std::unique_ptr<TokenModel> model;
  AddedTokens added;
  PostProcessor post_processor;
  std::size_t id_limit = 0;
};

TokenizerScratch::TokenizerScratch() : state_(std::make_unique<State>()) {}
TokenizerScratch::~TokenizerScratch() = default;
TokenizerScratch::TokenizerScratch(TokenizerScratch&&) noexcept = default;
TokenizerScratch& TokenizerScratch::operator=(TokenizerScratch&&) noexcept = default;

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Tokenizer Tokenizer::load(const std::string& folder) {
  return load(FolderFiles(folder, kTokenizerFiles));
}

Tokenizer Tokenizer::load(const FolderFiles& files) {
  const TokenizerDescription description = describe_tokenizer(files);
  return from_json(description.content, description.name);
}

Tokenizer Tokenizer::from_json(std::string_view content, const std::string& name) {
  static std::atomic<std::uint64_t> serial{0};
  const JsonPath where{name};
  const json root = parse_json_object(content, name);
  const std::string version = read_string(root, "version", "1.0", where);
  if (version != "1.0") where.fail(fmt::format("version {}, expected '1.0'", in_quotes(version)));
  auto parts = std::make_unique<Parts>();
  parts->serial = ++serial;
  if (const json* component = find_field(root, "normalizer")) {
    parts->normalizer = make_normalizer(*component, where / "normalizer");
  }
  if (const json* component = find_field(root, "pre_tokenizer")) {
    parts->pre_tokenizer = make_pre_tokenizer(*component, where / "pre_tokenizer");
  }
  parts->model = make_model(require_field(root, "model", where), where / "model");
  if (const json* list = find_field(root, "added_tokens")) {
    parts->added =
        AddedTokens(*list, parts->model->vocabulary(), parts->normalizer.get(), where / "added_tokens");
  }
  if (const json* component = find_field(root, "post_processor")) {
    parts->post_processor = PostProcessor(*component, where / "post_processor");
  }
  parts->id_limit = std::max(parts->model->vocabulary().id_limit(), parts->added.id_limit());
  for (const PostProcessor::TemplatePart& part : parts->post_processor.parts) {
    for (const std::int32_t id : part.ids) {
      if (static_cast<std::size_t>(id) >= parts->id_limit) {
        (where / "post_processor").fail(fmt::format("special token id {} is not in the vocabulary", id));
      }
    }
  }
  return Tokenizer(std::move(parts));
}

void Tokenizer::tokenize(std::string_view text, bool tracked, TokenizerScratch& scratch) const {
  if (text.size() >= kMostTextBytes) {
    throw_invalid(fmt::format("a segment of {} bytes, expected less than 512 MiB", text.size()));
  }
  TokenizerScratch::State& state = *scratch.state_;
  PieceList& list = state.list;
  tracked = tracked || (parts_->pre_tokenizer != nullptr && parts_->pre_tokenizer->needs_source());
  list.text.clear();
  list.text.tracked = tracked;
  list.most_bytes = state.normalizer.most_bytes = most_text_bytes(text.size());
  list.pieces.clear();
  state.raw_pieces.clear();
  parts_->added.split(text, 0, static_cast<std::uint32_t>(text.size()), false, state.raw_pieces);
  for (const Piece& piece : state.raw_pieces) {
    AlignedText& segment = state.segment;
    segment.clear();
    segment.tracked = tracked;
    segment.text.assign(text.substr(piece.begin, piece.end - piece.begin));
    if (tracked) {
      for (std::size_t position = piece.begin; position < piece.end;) {
        const std::size_t end = position + text::character_bytes(text[position]);
        segment.source.resize(end - piece.begin,
                              {static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(end)});
        position = end;
      }
    }
    if (piece.id < 0 && parts_->normalizer != nullptr) parts_->normalizer->apply(segment, state.normalizer);
    const auto begin = static_cast<std::uint32_t>(list.text.text.size());
    if (state.raw_pieces.size() == 1) {
      std::swap(list.text, segment);
    } else {
      list.text.append_part(segment, 0, segment.text.size());
    }
    require_text_room(list.text.text.size(), list.most_bytes);
    const auto end = static_cast<std::uint32_t>(list.text.text.size());
    if (piece.id >= 0) {
      list.pieces.push_back({begin, end, piece.id});
    } else {
      parts_->added.split(list.text.text, begin, end, true, list.pieces);
    }
  }
  if (parts_->pre_tokenizer != nullptr) parts_->pre_tokenizer->apply(list, state.spare);

  state.tokens.clear();
  state.pieces_of.clear();
  state.model.cache.use_for(parts_->serial);
  const std::string_view whole = list.text.text;
  for (std::size_t index = 0; index < list.pieces.size(); ++index) {
    check_cancelled();
    const Piece& piece = list.pieces[index];
    if (piece.id >= 0) {
      state.tokens.push_back({piece.id, piece.begin, piece.end});
    } else {
      const std::string_view word = whole.substr(piece.begin, piece.end - piece.begin);
      const bool short_word = word.size() <= WordCache::kMaxBytes;
      const std::uint64_t hash = short_word ? WordCache::hash(word) : 0;
      if (!short_word || !state.model.cache.find(word, hash, piece.begin, state.tokens)) {
        const std::size_t first = state.tokens.size();
        parts_->model->tokenize(word, state.model, state.tokens);
        for (std::size_t i = first; i < state.tokens.size(); ++i) {
          state.tokens[i].begin += piece.begin;
          state.tokens[i].end += piece.begin;
        }
        if (short_word) {
          state.model.cache.insert(word, hash, state.tokens.data() + first, state.tokens.size() - first,
                                   piece.begin);
        }
      }
    }
    if (tracked) state.pieces_of.resize(state.tokens.size(), static_cast<std::uint32_t>(index));
  }
}

namespace {

std::size_t tokens_kept(std::size_t tokens, std::size_t limit, std::size_t special) {
  if (limit <= special) {
    throw_usage(fmt::format("a length limit of {} leaves no room beside {} special tokens", limit, special));
  }
  return std::min(tokens, limit - special);
}

// Blanks that a token of a byte-level vocabulary, or an added token, begins or ends with.
bool is_trimmed(char32_t character) {
  return character == 0x120 || UnicodeData::get().has(character, kWhiteSpace);
}

// Offsets without the blanks at both ends of a token; `first` when it starts the text.
SourceRange trim(std::string_view text, SourceRange range, std::string_view piece, bool first,
                 bool prefixed) {
  std::size_t leading = 0;
  std::size_t trailing = 0;
  bool inside = false;
  for (std::size_t position = 0; position < piece.size();) {
    const bool blank = is_trimmed(text::decode(piece, position));
    inside = inside || !blank;
    leading += !inside;
    trailing = blank ? trailing + 1 : 0;
  }
  if ((first || range.begin == 0) && prefixed && leading == 1) leading = 0;  // the blank was put there
  for (; leading > 0 && range.begin < range.end; --leading) {
    range.begin += static_cast<std::uint32_t>(text::character_bytes(text[range.begin]));
  }
  for (; trailing > 0 && range.end > range.begin; --trailing) {
    do {
      --range.end;
    } while ((static_cast<unsigned char>(text[range.end]) & 0xC0) == 0x80);
  }
  return range;
}

}  // namespace

TextCounts Tokenizer::append(std::string_view text, std::size_t limit, TokenizerScratch& scratch,
                             PackedBatch& batch) const {
  tokenize(text, false, scratch);
  const std::vector<Token>& tokens = scratch.state_->tokens;
  const std::size_t kept = tokens_kept(tokens.size(), limit, special_count());
  const std::int32_t unknown = unknown_id().value_or(-1);
  TextCounts counts = TextCounts::of_text(kept, tokens.size() - kept, 0);
  for (const PostProcessor::TemplatePart& part : parts_->post_processor.parts) {
    if (part.is_text) {
      for (std::size_t i = 0; i < kept; ++i) {
        batch.ids.push_back(tokens[i].id);
        counts.unknown += tokens[i].id == unknown;
      }
    } else {
      batch.ids.insert(batch.ids.end(), part.ids.begin(), part.ids.end());
    }
  }
  batch.starts.push_back(batch.ids.size());
  return counts;
}

void Tokenizer::encode(std::string_view text, std::size_t limit, TokenizerScratch& scratch,
                       Encoding& out) const {
  tokenize(text, true, scratch);
  const TokenizerScratch::State& state = *scratch.state_;
  const std::size_t kept = tokens_kept(state.tokens.size(), limit, special_count());
  const std::int32_t unknown = unknown_id().value_or(-1);
  out.ids.clear();
  out.offsets.clear();
  out.words.clear();
  out.special.clear();
  out.counts = TextCounts::of_text(kept, state.tokens.size() - kept, 0);
  const std::string_view whole = state.list.text.text;
  for (const PostProcessor::TemplatePart& part : parts_->post_processor.parts) {
    if (!part.is_text) {
      for (const std::int32_t id : part.ids) {
        out.ids.push_back(id);
        out.offsets.push_back({});
        out.words.push_back(-1);
        out.special.push_back(1);
      }
      continue;
    }
    for (std::size_t i = 0; i < kept; ++i) {
      const Token& token = state.tokens[i];
      const bool added = state.list.pieces[state.pieces_of[i]].id >= 0;
      SourceRange range{token.begin, token.end};
      if (token.end <= whole.size() && token.begin < token.end) {
        range = {state.list.text.source[token.begin].begin, state.list.text.source[token.end - 1].end};
      }
      const std::string_view piece = added ? whole.substr(token.begin, token.end - token.begin)
                                           : parts_->model->vocabulary().piece(token.id);
      for (const bool prefixed : parts_->post_processor.trims)
        range = trim(text, range, piece, i == 0, prefixed);
      out.ids.push_back(token.id);
      out.offsets.push_back(range);
      out.words.push_back(static_cast<std::int32_t>(state.pieces_of[i]));
      out.special.push_back(0);
      out.counts.unknown += token.id == unknown;
    }
  }
}

std::size_t Tokenizer::id_limit() const {
  return parts_->id_limit;
}

std::optional<std::int32_t> Tokenizer::id(std::string_view piece) const {
  const auto added = parts_->added.id(piece);
  return added ? added : parts_->model->vocabulary().id(piece);
}

std::string_view Tokenizer::piece(std::int32_t id) const {
  const std::string_view added = parts_->added.content(id);
  return added.empty() ? parts_->model->vocabulary().piece(id) : added;
}

std::optional<std::int32_t> Tokenizer::unknown_id() const {
  return parts_->model->unknown_id();
}
std::size_t Tokenizer::special_count() const {
  return parts_->post_processor.special_count;
}

bool Tokenizer::continues_word(std::int32_t id) const {
  const std::string_view prefix = parts_->model->continuation_prefix();
  return !prefix.empty() && piece(id).starts_with(prefix);
}

}  // namespace markeval::token
