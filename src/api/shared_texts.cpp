#include "api/shared_texts.hpp"

#include "api/evaluator_state.hpp"
#include "embed/text_encoder.hpp"

namespace markeval {

SharedTexts::SharedTexts(Evaluator& evaluator, std::vector<std::string> texts) : evaluator_(evaluator) {
  const Evaluator::State::Turn turn(*evaluator_.state_, nullptr);
  evaluator_.state_->models.set_ahead(std::make_shared<embed::TextsAhead>(std::move(texts)));
}

SharedTexts::~SharedTexts() {
  const Evaluator::State::Turn turn(*evaluator_.state_, nullptr);
  evaluator_.state_->models.set_ahead(nullptr);
}

}  // namespace markeval
