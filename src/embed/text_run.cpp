// The choice of blocks by their tokens, the order of lines that keeps equal texts together, and the loop over
// blocks and users.
#include "embed/text_run.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "base/block_progress.hpp"
#include "text/utf8.hpp"

namespace markeval::embed {
namespace {

constexpr std::size_t kNoSlot = static_cast<std::size_t>(-1);
constexpr std::size_t kBlockBytes = std::size_t{64} << 20;  // of token states
constexpr std::size_t kBlockTokens = 16 * 1024;             // at most, of token states
constexpr std::size_t kBlockPooledTokens = 64 * 1024;       // where every text becomes one row
constexpr std::size_t kBytesPerToken = 3;                   // or more, for what people write

/// Calls `visit(text)` with every text of a line, the references first.
template <typename Visit>
void for_texts(const RunTexts& texts, std::size_t line, const Visit& visit) {
  for (const auto files : {texts.references, texts.systems}) {
    for (const text::Corpus& file : files) {
      if (line >= file.segments()) continue;
      for (const std::string& text : file.segment(line)) visit(text::strip(text));
    }
  }
}

std::size_t tokens_per_block(const VectorSource& source, const EncodeRequest& request) {
  if (!request.wants_tokens()) return kBlockPooledTokens;
  const std::size_t bytes = std::max<std::size_t>(1, source.width() * sizeof(float) * request.layers.size());
  return std::clamp<std::size_t>(kBlockBytes / bytes, 64, kBlockTokens);
}

/// The end of the block that starts at `begin`, in `order`.
std::size_t block_end(const RunTexts& texts, std::span<const std::size_t> order, std::size_t begin,
                      std::size_t budget) {
  std::unordered_set<std::string_view> seen;
  std::size_t tokens = 0, end = begin;
  while (end < order.size() && tokens < budget) {
    for_texts(texts, order[end++], [&](std::string_view text) {
      if (seen.insert(text).second) tokens += text.size() / kBytesPerToken + 2;  // special tokens
    });
  }
  return end;
}

void count(const TextBlock& block, RunCounts& counts) {
  const auto add = [&](std::span<const std::uint32_t> slots, FileCounts& to) {
    for (const std::uint32_t slot : slots)
      to += {block.texts().counts(slot), block.texts().sentence_counts(slot)};
  };
  for (std::size_t index = 0; index < block.lines().size(); ++index) {
    for (std::size_t file = 0; file < counts.references.size(); ++file)
      add(block.reference(file, index), counts.references[file]);
    for (std::size_t system = 0; system < counts.systems.size(); ++system)
      add(block.candidate(system, index), counts.systems[system]);
  }
}

}  // namespace

FileCounts& FileCounts::operator+=(const FileCounts& other) {
  tokens += other.tokens;
  sentences += other.sentences;
  return *this;
}

std::size_t RunTexts::lines() const {
  std::size_t lines = 0;
  for (const auto files : {references, systems}) {
    for (const text::Corpus& file : files) lines = std::max(lines, file.segments());
  }
  return lines;
}

TextBlock::TextBlock(const RunTexts& texts, std::span<const std::size_t> lines)
    : lines_(lines),
      references_(texts.references.size()),
      sides_(references_ + texts.systems.size()),
      starts_{0} {
  for (const std::size_t line : lines) {
    for (const auto files : {texts.references, texts.systems}) {
      for (const text::Corpus& file : files) {
        if (line < file.segments()) {
          for (const std::string& text : file.segment(line)) given_.push_back(text::strip(text));
        }
        starts_.push_back(given_.size());
      }
    }
  }
}

std::span<const std::uint32_t> TextBlock::side(std::size_t side, std::size_t index) const {
  const std::size_t at = index * sides_ + side;
  return encoded_->slots().subspan(starts_[at], starts_[at + 1] - starts_[at]);
}

void TextUser::mark_needed(const TextTokens& /*tokens*/, std::span<std::uint8_t> mask) const {
  std::fill(mask.begin(), mask.end(), std::uint8_t{1});
}

RunCounts run_texts(VectorSource& source, const RunTexts& texts, std::span<TextUser* const> users,
                    const RunContext& context, std::size_t block_tokens) {
  EncodeRequest request;
  bool in_order = false;
  for (const TextUser* user : users) {
    request.join(user->request());
    in_order = in_order || user->needs_order();
  }
  const TokenNeed need = [&](const TextTokens& tokens, std::span<std::uint8_t> mask) {
    for (const TextUser* user : users) {
      const EncodeRequest wanted = user->request();
      if (wanted.wants_tokens() && wanted.layers.back() == request.layers.back())
        user->mark_needed(tokens, mask);
    }
  };
  std::vector<std::size_t> order(texts.lines());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!in_order) order = order_by_shared_texts(texts);
  const std::size_t budget = block_tokens > 0 ? block_tokens : tokens_per_block(source, request);
  RunCounts counts{std::vector<FileCounts>(texts.references.size()),
                   std::vector<FileCounts>(texts.systems.size())};
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    context.check_cancelled();
    end = block_end(texts, order, begin, budget);
    const BlockProgress progress(context, "encoding", begin, end, order.size());
    TextBlock block(texts, std::span(order).subspan(begin, end - begin));
    const EncodedTexts encoded = source.encode(block.given(), request, need, progress.context());
    block.set_encoded(encoded);
    count(block, counts);
    for (TextUser* user : users) user->take(block);
  }
  context.report_progress("encoding", order.size(), order.size());
  return counts;
}

std::vector<std::size_t> order_by_shared_texts(const RunTexts& texts) {
  struct LineInSlot {
    std::size_t line = 0;
    std::size_t next = kNoSlot;  ///< the text's next place
  };
  const std::size_t lines = texts.lines();
  std::vector<LineInSlot> slots;
  std::unordered_map<std::string_view, std::size_t> first_place;
  for (std::size_t line = lines; line-- > 0;) {
    for_texts(texts, line, [&](std::string_view text) {
      const auto [entry, added] = first_place.emplace(text, slots.size());
      slots.push_back({line, added ? kNoSlot : entry->second});
      entry->second = slots.size() - 1;
    });
  }
  std::vector<std::size_t> order;
  std::vector<bool> placed(lines, false);
  const auto slot = [&](std::size_t line) {
    if (placed[line]) return;
    placed[line] = true;
    order.push_back(line);
  };
  std::size_t followed = 0;  // lines of `order` whose texts were looked up
  for (std::size_t line = 0; line < lines; ++line) {
    slot(line);
    for (; followed < order.size(); ++followed) {
      for_texts(texts, order[followed], [&](std::string_view text) {
        std::size_t& at = first_place[text];
        for (; at != kNoSlot; at = slots[at].next) slot(slots[at].line);
      });
    }
  }
  return order;
}

}  // namespace markeval::embed
