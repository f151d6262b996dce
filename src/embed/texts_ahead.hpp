// Texts that several runs are about to ask for, of clients that wait at the same time. The first run to
// encode any of them encodes all of them in common batches; the others find theirs here. A text's vectors
// depend on that text alone, so nobody's numbers change.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "embed/encoded_texts.hpp"
#include "embed/encoder_run.hpp"
#include "embed/model_pool.hpp"

namespace markeval::embed {

/// For runs that follow each other, not for two threads at once.
class TextsAhead {
 public:
  explicit TextsAhead(std::vector<std::string> texts);
  TextsAhead(const TextsAhead&) = delete;
  TextsAhead& operator=(const TextsAhead&) = delete;

  /// Stripped, as an encoder takes them.
  std::span<const std::string_view> texts() const { return stripped_; }

  /// Whether somebody has tried to encode them: only the first one does.
  bool tried() const { return tried_; }
  void set_tried(bool tried) { tried_ = tried; }
  void keep(std::shared_ptr<PooledModel> model, const LengthLimits& limits, EncodedTexts encoded);
  /// A copy for `texts`, where all of them are here for the same model, limits and request.
  std::optional<EncodedTexts> find(const PooledModel& model, const LengthLimits& limits,
                                   const EncodeRequest& request,
                                   std::span<const std::string_view> texts) const;

 private:
  std::vector<std::string> texts_;
  std::vector<std::string_view> stripped_;
  bool tried_ = false;
  std::shared_ptr<PooledModel> model_;  ///< owns what the tokens point at
  LengthLimits limits_;
  std::optional<EncodedTexts> encoded_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

}  // namespace markeval::embed
