// What a page shows beyond the scores, gathered while they are made: files with their checksums, best and
// worst segments, maps of sets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "api/pair_examples.hpp"
#include "api/set_picture.hpp"
#include "api/text_inputs.hpp"
#include "api/vector_inputs.hpp"
#include "report/html_page.hpp"
#include "report/run_report.hpp"

namespace markeval {

/// The file a user named as FILE[:COLUMN], with size and sha256 where it can be read again. Throws Error(io).
report::PageInput page_input(const std::string& role, const Source& source);

/// "good and poor against reference"
std::string page_title(const std::vector<std::string>& systems, const std::vector<Input>& references);

class PageBuilder {
 public:
  explicit PageBuilder(const ScoreRequest& request) : request_(request) {}
  bool wanted() const { return request_.page; }

  /// Throws Error(usage) for source texts without a page, Error(invalid_input) for too few or too many.
  void add_inputs(const TextInputs& inputs, const RunContext& context);
  void add_inputs(const VectorInputs& inputs);
  /// Of a corpus that was scored in parts, whose texts are elsewhere.
  void add_names(const std::vector<std::string>& systems, std::size_t segments);
  /// Of the first metric that counts in balls of each system. `clusters`: of the references.
  void add_picture(const metric::SetExplanation& explanation, const geometry::Points& reference,
                   const geometry::Points& system, const report::RowLookup& reference_row,
                   const report::RowLookup& system_row, const compute::Products& products,
                   std::vector<report::ClusterShare> clusters);
  void set_examples(std::vector<report::PairExamples> examples) { page_.examples = std::move(examples); }

  /// Puts the page into `data`, with the segment scores; those nobody else asked for are taken off the
  /// results.
  void finish(Report::Data& data);

 private:
  std::vector<std::string> source_texts(const RunContext& context) const;

  const ScoreRequest& request_;
  report::ScorePage page_;
  std::size_t segments_ = 0;
};

}  // namespace markeval
