#include "geometry/direct_distance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "geometry/oracle.hpp"

namespace markeval::geometry {
namespace {

TEST(DirectDistance, SumsInNumPysOrderAtEveryWidth) {
  RandomStream random(1, 1);
  for (std::size_t columns = 1; columns <= 1100; columns += columns < 300 ? 1 : 37) {
    std::vector<double> a(columns), b(columns);
    std::vector<float> a_float(columns), b_float(columns);
    for (std::size_t i = 0; i < columns; ++i) {
      a[i] = a_float[i] = static_cast<float>(random.normal());
      b[i] = b_float[i] = static_cast<float>(random.normal());
    }
    const double expected = oracle::squared_distance(a, b);
    EXPECT_EQ(squared_distance(a.data(), b.data(), columns), expected) << columns;
    EXPECT_EQ(squared_distance(a_float.data(), b_float.data(), columns), expected) << columns;
    EXPECT_EQ(squared_distance(a_float.data(), b.data(), columns), expected) << columns;
  }
}

// Made with NumPy 2.4.6: x = np.arange(n) / 7; y = np.sqrt(np.arange(n)); ((x - y) ** 2).sum().hex()
TEST(DirectDistance, EqualsNumPy) {
  struct Golden {
    std::size_t columns;
    double value;
  };
  for (const Golden golden : {Golden{5, 0x1.6fe0880e02080p+2}, Golden{8, 0x1.a9dadcab77f2cp+3},
                              Golden{100, 0x1.6cf4cd8429b64p+8}, Golden{128, 0x1.3868f5e053cbbp+10},
                              Golden{129, 0x1.448fed83eecf3p+10}, Golden{384, 0x1.f44178b68b0d6p+16},
                              Golden{768, 0x1.6f6eb042c4614p+20}, Golden{1000, 0x1.c18649b62d31ep+21}}) {
    std::vector<double> x(golden.columns), y(golden.columns);
    for (std::size_t i = 0; i < golden.columns; ++i) {
      x[i] = static_cast<double>(i) / 7;
      y[i] = std::sqrt(static_cast<double>(i));
    }
    EXPECT_EQ(squared_distance(x.data(), y.data(), golden.columns), golden.value) << golden.columns;
  }
}

TEST(DirectDistance, ReadsRowsOfMixedTypesAndStrides) {
  const std::vector<float> a{0, 0, 9, 1, 2, 9};
  const std::vector<double> b{4, 6};
  const DirectDistance direct(MatrixView<const float>(a.data(), 2, 2, 3),
                              MatrixView<const double>(b.data(), 1, 2));
  EXPECT_EQ(direct(0, 0), 52);
  EXPECT_EQ(direct(1, 0), 25);
}

}  // namespace
}  // namespace markeval::geometry
