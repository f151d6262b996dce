#include "api/shared_texts.hpp"

#include "api/evaluator_state.hpp"
#include "embed/text_encoder.hpp"

namespace markeval {

SharedTexts::SharedTexts(Evaluator& evaluator, const EncoderOptions& options, std::vector<std::string> texts)
    : evaluator_(evaluator), ahead_(std::make_shared<embed::TextsAhead>(options, std::move(texts))) {
  const Evaluator::State::Turn turn(*evaluator_.state_, nullptr);
  evaluator_.state_->models.set_ahead(ahead_);
}

SharedTexts::~SharedTexts() {
  evaluator_.state_->share_turn(false);
  const Evaluator::State::Turn turn(*evaluator_.state_, nullptr);
  evaluator_.state_->models.set_ahead(nullptr);
}

void SharedTexts::run(std::size_t requests, FunctionRef<void(std::size_t)> request) {
  std::size_t first = 0;
  while (first < requests && !ahead_->is_encoded()) request(first++);
  evaluator_.state_->share_turn(true);
  evaluator_.state_->pool.for_each(requests - first, [&](std::size_t i, std::size_t) { request(first + i); });
}

}  // namespace markeval
