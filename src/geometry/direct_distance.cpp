#include "geometry/direct_distance.hpp"

#include <cassert>
#include <cstring>

namespace markeval::geometry {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlock = 128;

// Eight lanes as the compiler's own vectors: two, four or eight registers, always the same eight sums.
typedef double Doubles __attribute__((vector_size(kLanes * sizeof(double))));
typedef float Floats __attribute__((vector_size(kLanes * sizeof(float))));

Doubles load(const double* values) {
  Doubles result;
  std::memcpy(&result, values, sizeof result);
  return result;
}
Doubles load(const float* values) {
  Floats result;
  std::memcpy(&result, values, sizeof result);
  return __builtin_convertvector(result, Doubles);
}

template <typename A, typename B>
double square_of_difference(A a, B b) {
  const double difference = static_cast<double>(a) - static_cast<double>(b);
  return difference * difference;
}

template <typename A, typename B>
double pairwise_sum(const A* a, const B* b, std::size_t count) {
  if (count < kLanes) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += square_of_difference(a[i], b[i]);
    return sum;
  }
  if (count <= kBlock) {
    const Doubles first = load(a) - load(b);
    Doubles sums = first * first;
    std::size_t i = kLanes;
    for (; i + kLanes <= count; i += kLanes) {
      const Doubles difference = load(a + i) - load(b + i);
      sums += difference * difference;
    }
    double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < count; ++i) sum += square_of_difference(a[i], b[i]);
    return sum;
  }
  std::size_t half = count / 2;
  half -= half % kLanes;
  return pairwise_sum(a, b, half) + pairwise_sum(a + half, b + half, count - half);
}

template <typename A, typename B>
double measure(const std::byte* a, const std::byte* b, std::size_t columns) {
  return pairwise_sum(reinterpret_cast<const A*>(a), reinterpret_cast<const B*>(b), columns);
}

}  // namespace

double squared_distance(const float* a, const float* b, std::size_t columns) {
  return pairwise_sum(a, b, columns);
}
double squared_distance(const double* a, const double* b, std::size_t columns) {
  return pairwise_sum(a, b, columns);
}
double squared_distance(const float* a, const double* b, std::size_t columns) {
  return pairwise_sum(a, b, columns);
}

DirectDistance::DirectDistance(Points a, Points b) : columns_(a.columns()) {
  assert(a.columns() == b.columns());
  a.visit([&](const auto& first) {
    b.visit([&](const auto& second) {
      using A = std::remove_cvref_t<decltype(*first.data())>;
      using B = std::remove_cvref_t<decltype(*second.data())>;
      a_ = reinterpret_cast<const std::byte*>(first.data());
      b_ = reinterpret_cast<const std::byte*>(second.data());
      a_stride_bytes_ = first.stride() * sizeof(A);
      b_stride_bytes_ = second.stride() * sizeof(B);
      measure_ = &measure<A, B>;
    });
  });
}

}  // namespace markeval::geometry
