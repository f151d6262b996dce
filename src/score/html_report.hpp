// What a page shows beyond the scores, gathered while they are made: files with their checksums, best and
// worst segments, maps of sets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/html_page.hpp"
#include "report/html_score.hpp"
#include "report/run_report.hpp"
#include "request/score_request.hpp"
#include "score/pair_examples.hpp"
#include "score/text_inputs.hpp"
#include "score/vector_inputs.hpp"

namespace markeval::score {

struct ScoreData;

/// The file a user named as FILE[:COLUMN], with size and sha256 where it can be read again. Throws Error(io).
report::PageInput page_input(const std::string& role, const Source& source);

/// "good and poor against reference"
std::string page_title(const std::vector<std::string>& systems, const std::vector<Input>& references);

class PageBuilder {
 public:
  explicit PageBuilder(const ScoreRequest& request) : request_(request) {}
  bool wanted() const { return request_.page; }

  /// Throws Error(usage) for source texts without a page, Error(invalid_input) for too few or too many.
  void add_inputs(const TextInputs& inputs);
  void add_inputs(const VectorInputs& inputs);
  /// For a corpus that was scored in parts, whose texts are elsewhere.
  void add_names(const std::vector<std::string>& systems, std::size_t segments);
  /// Called for the first metric of each system that counts in balls.
  bool wants_picture(const std::string& system) const;
  void add_picture(report::SetPicture picture) { page_.pictures.push_back(std::move(picture)); }
  void set_examples(std::vector<report::PairExamples> examples) { page_.examples = std::move(examples); }

  /// Puts the page into `data`, with the segment scores; those nobody else asked for are taken off the
  /// results.
  void finish(ScoreData& data);

 private:
  std::vector<std::string> source_texts() const;

  const ScoreRequest& request_;
  report::ScorePage page_;
  std::size_t segments_ = 0;
};

}  // namespace markeval::score
