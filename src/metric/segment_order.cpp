#include "metric/segment_order.hpp"

#include <string_view>
#include <unordered_map>

namespace markeval::metric {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Calls `visit` with every text of a segment.
template <class Visit>
void for_texts(const PairCorpus& corpus, std::size_t segment, Visit&& visit) {
  for (const std::string& text : corpus.references[segment]) visit(std::string_view(text));
  for (const PairSystem& system : corpus.systems) visit(std::string_view(system.lines[segment]));
}

}  // namespace

std::vector<std::size_t> order_by_shared_texts(const PairCorpus& corpus) {
  struct Place {
    std::size_t segment = 0;
    std::size_t next = kNone;  ///< the text's next place
  };
  std::vector<Place> places;
  std::unordered_map<std::string_view, std::size_t> first_place;
  for (std::size_t segment = corpus.references.size(); segment-- > 0;) {
    for_texts(corpus, segment, [&](std::string_view text) {
      const auto [entry, added] = first_place.emplace(text, places.size());
      places.push_back({segment, added ? kNone : entry->second});
      entry->second = places.size() - 1;
    });
  }
  std::vector<std::size_t> order;
  std::vector<bool> placed(corpus.references.size(), false);
  const auto place = [&](std::size_t segment) {
    if (placed[segment]) return;
    placed[segment] = true;
    order.push_back(segment);
  };
  std::size_t followed = 0;  // of `order`: segments whose texts were looked up
  for (std::size_t segment = 0; segment < corpus.references.size(); ++segment) {
    place(segment);
    for (; followed < order.size(); ++followed) {
      for_texts(corpus, order[followed], [&](std::string_view text) {
        std::size_t& at = first_place[text];
        for (; at != kNone; at = places[at].next) place(places[at].segment);
      });
    }
  }
  return order;
}

}  // namespace markeval::metric
