// Edit distance as TER needs it: only cells near the diagonal are looked at (the beam of sacrebleu 2.6.0,
// which is part of the score's definition), the way through them is kept for the current hypothesis, and
// variants of that hypothesis, which share most of its words, are measured fast.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace markeval::lexical {

class BeamDistance {
 public:
  enum class Operation : std::uint8_t {
    keep,
    substitute,
    insert,
    erase
  };  ///< insert: a reference word is missing

  /// Numbers of the reference's words; kUnknown words of hypotheses equal none of them.
  void set_reference(std::span<const std::uint32_t> reference);
  /// Makes `hypothesis` the current one (not empty) and returns its distance.
  int set_hypothesis(std::span<const std::uint32_t> hypothesis);
  /// The distance of the current hypothesis with its words [first, last) rotated as std::rotate() does it:
  /// those from `middle` on come first.
  int rotated(std::size_t first, std::size_t middle, std::size_t last);
  /// The operations that turn the current hypothesis into the reference, in order.
  void trace(std::vector<Operation>& operations) const;

 private:
  struct Beam {
    std::size_t first, last;  // columns [first, last) of a row
  };
  Beam beam(std::size_t row) const;
  void fill_row(std::size_t row, std::uint32_t word, const int* previous, Beam previous_beam, int* out,
                Operation* operations) const;
  void fill_matrix();
  void fill_bits(std::size_t known);
  bool beam_matters(int distance) const;
  int rotated_by_bits(std::size_t first, std::size_t middle, std::size_t last) const;
  int rotated_by_beam(std::size_t first, std::size_t middle, std::size_t last);
  Operation operation_by_bits(std::size_t row, std::size_t column) const;
  std::uint64_t positions_of(std::uint32_t word) const;

  std::vector<std::uint32_t> reference_, hypothesis_;
  double ratio_ = 1;         // reference words per hypothesis word
  std::size_t width_ = 0;    // how far from the diagonal
  bool has_matrix_ = false;  // what follows is of the current hypothesis
  std::vector<Beam> beams_;  // by row, row 0 = nothing read yet
  std::vector<std::size_t> offsets_;
  std::vector<int> costs_;  // of the current hypothesis, row by row, beam cells only
  std::vector<Operation> operations_;
  std::vector<int> scratch_[2];
  std::vector<std::uint32_t> variant_;

  // Bit-parallel columns (Myers 1999, Hyyro 2003) of the current hypothesis after each word, references of <=
  // 64 words.
  struct Bits {
    std::uint64_t plus, minus;  // this cell costs 1 more, 1 less than the one to its left
    std::uint64_t above_less;   // it costs 1 more than the one above
    std::uint64_t same;         // it costs what the one above and to the left does
    int score;
  };
  std::vector<std::uint64_t> positions_;  // by word number: where the reference has it
  std::vector<Bits> bits_;
};

}  // namespace markeval::lexical
