// A number in the arithmetic of sacrebleu's resampling: a Python float or a NumPy float32 scalar. Where one
// operand is a float32 the result is one too (NumPy 2 promotion, NEP 50), so bootstrap scores of chrF and TER
// carry 24 bits; p-values compare such scores, so the same bits are needed for the same p-value.
#pragma once

namespace markeval::lexical {

struct PythonNumber {
  double value = 0;
  bool single = false;

  constexpr PythonNumber() = default;
  constexpr PythonNumber(double number) : value(number) {}  // NOLINT(google-explicit-constructor)
  constexpr PythonNumber(double number, bool is_single)
      : value(is_single ? static_cast<double>(static_cast<float>(number)) : number), single(is_single) {}
};

// Sums, products and quotients of two floats computed in double and rounded once to float are correctly
// rounded: a double has more than twice the bits plus two.
constexpr PythonNumber operator+(PythonNumber a, PythonNumber b) {
  const bool single = a.single || b.single;
  return {PythonNumber(a.value, single).value + PythonNumber(b.value, single).value, single};
}
constexpr PythonNumber operator*(PythonNumber a, PythonNumber b) {
  const bool single = a.single || b.single;
  return {PythonNumber(a.value, single).value * PythonNumber(b.value, single).value, single};
}
constexpr PythonNumber operator/(PythonNumber a, PythonNumber b) {
  const bool single = a.single || b.single;
  return {PythonNumber(a.value, single).value / PythonNumber(b.value, single).value, single};
}

constexpr bool operator>(PythonNumber a, double b) {
  return a.value > b;
}

}  // namespace markeval::lexical
