// What becomes of the places where a text is cut: the five behaviours of tokenizer.json.
#pragma once

#include <cstdint>
#include <vector>

#include "token/aligned_text.hpp"

namespace markeval::token {

enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

/// A part of a piece: a delimiter (match) or what stands between.
struct SplitPart {
  std::uint32_t begin;
  std::uint32_t end;
  bool match;
};

/// Appends the pieces that `parts`, which cover a piece in order, make up.
///   "the-final--countdown" at '-': removed: the|final|countdown; isolated: the|-|final|-|-|countdown;
///   merged_with_previous: the-|final-|-|countdown; merged_with_next: the|-final|-|-countdown;
///   contiguous: the|-|final|--|countdown
inline void append_pieces(std::vector<SplitPart>& parts, SplitBehavior behavior, std::vector<Piece>& out) {
  const auto put = [&](std::uint32_t begin, std::uint32_t end) {
    if (begin < end) out.push_back({begin, end, -1});
  };
  bool previous = false;
  switch (behavior) {
    case SplitBehavior::removed:
      for (const SplitPart& part : parts) {
        if (!part.match) put(part.begin, part.end);
      }
      return;
    case SplitBehavior::isolated:
      for (const SplitPart& part : parts) put(part.begin, part.end);
      return;
    case SplitBehavior::contiguous:
    case SplitBehavior::merged_with_previous: {
      const std::size_t first = out.size();
      for (const SplitPart& part : parts) {
        const bool joins =
            behavior == SplitBehavior::contiguous ? part.match == previous : part.match && !previous;
        previous = part.match;
        if (joins && out.size() > first) {
          out.back().end = part.end;
        } else {
          put(part.begin, part.end);
        }
      }
      return;
    }
    case SplitBehavior::merged_with_next: {
      // From the back: a delimiter joins what follows unless that is a delimiter itself.
      for (std::size_t i = parts.size(); i-- > 0;) {
        const bool joins = parts[i].match && !previous && i + 1 < parts.size();
        previous = parts[i].match;
        if (joins) {
          parts[i].end = parts[i + 1].end;
          parts[i + 1].end = parts[i + 1].begin;
        }
      }
      for (const SplitPart& part : parts) put(part.begin, part.end);
      return;
    }
  }
}

}  // namespace markeval::token
