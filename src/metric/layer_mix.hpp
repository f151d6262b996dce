// Many layers' vectors of a token -> one vector (MoverScore, Zhao et al. 2019, section 3.2 and appendix A.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/matrix_view.hpp"

namespace markeval::metric {

enum class Aggregation { pmeans, routing, mean, last };
enum class Kernel { gaussian, epanechnikov };

/// How routing walks. The paper leaves the step, the start and the threshold open; these are ours.
struct RoutingOptions {
  Kernel kernel = Kernel::gaussian;
  double step = 1;               ///< alpha
  double tolerance = 1e-6;       ///< stop when the loss changes by less (epsilon)
  std::size_t iterations = 100;  ///< at most
};

struct LayerMix {
  Aggregation aggregation = Aggregation::pmeans;
  /// Exponents of the power means; their results stand one after the other. As published: min, mean, max.
  std::vector<double> exponents{-std::numeric_limits<double>::infinity(), 1,
                                std::numeric_limits<double>::infinity()};
  RoutingOptions routing;
  bool unit = true;  ///< each layer's vector of a token is divided by its length first

  /// Columns of the result for vectors of `width`.
  std::size_t columns(std::size_t width) const;
};

/// "-inf+1+inf" -> {-infinity, 1, infinity}. Throws Error(usage) naming the part that is no number.
std::vector<double> parse_exponents(std::string_view text);
/// The other way, for signatures.
std::string exponents_text(std::span<const double> exponents);

/// The p-mean of some numbers, ((z1^p + ... + zn^p) / n)^(1/p): p = 0 the geometric mean, p = +-infinity max
/// and min. Where numbers are negative: an odd p takes the real odd root, any other p the real part of the
/// complex principal value (as Rueckle et al. 2018 do); p < 0 with a zero among them gives 0.
double power_mean(std::span<const double> values, double exponent);

/// `layers`: matrices of one text, rows = tokens, all of one shape. Each token's vector is divided by its
/// length in every layer (mix.unit), then mixed. out: all tokens x mix.columns(width), of which the rows of
/// `tokens` are wanted; the others may be left as they are. (Routing looks at all tokens.)
void mix_layers(std::span<const MatrixView<const float>> layers, const LayerMix& mix,
                std::span<const std::uint32_t> tokens, MatrixView<float> out);

}  // namespace markeval::metric
