#include "base/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace markeval::elementary {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// These lie close to the middle between two doubles: 66 bits do not tell the nearest. Made with Python's
// decimal at 60 digits.
TEST(Elementary, GivesTheNearestDoubleWhereItIsHardToTell) {
  EXPECT_EQ(exp(0x1.f23b26ee8b64cp+0), 0x1.c022fa7170c38p+2);
  EXPECT_EQ(exp(-0x1.5322a53aa75f2p+0), 0x1.1040410fef5efp-2);
  EXPECT_EQ(exp(0x1.c4772ec50db70p+1), 0x1.12544400a346ep+5);
  EXPECT_EQ(exp(-0x1.c7724843094d6p+0), 0x1.59afaacd42413p-3);
}

// Nearest doubles to the true values, made with mpmath 1.3.0 at 300 bits.
TEST(Elementary, GivesTheNearestDouble) {
  EXPECT_EQ(exp(0x1.0000000000000p+0), 0x1.5bf0a8b145769p+1);
  EXPECT_EQ(exp(-0x1.0000000000000p+0), 0x1.78b56362cef38p-2);
  EXPECT_EQ(exp(0x1.0000000000000p-1), 0x1.a61298e1e069cp+0);
  EXPECT_EQ(exp(0x1.b7cdfd9d7bdbbp-34), 0x1.000000006df38p+0);
  EXPECT_EQ(exp(-0x1.e000000000000p+4), 0x1.a56e0c2ac7f75p-44);
  EXPECT_EQ(exp(0x1.5e00000000000p+9), 0x1.d945df4f8ec8ep+1009);
  EXPECT_EQ(exp(-0x1.5e00000000000p+9), 0x1.14f2b0fb9307fp-1010);
  EXPECT_EQ(exp(0x1.62e42fefa39efp-1), 0x1.0000000000000p+1);
  EXPECT_EQ(exp(0x1.5bf0a8b145769p+1), 0x1.e4efb75e4527ap+3);
  EXPECT_EQ(exp(0x1.56e1fc2f8f359p-997), 0x1.0000000000000p+0);
  EXPECT_EQ(exp(0x1.3aa0dad1be0e0p+3), 0x1.22faba990829bp+14);
  EXPECT_EQ(exp(0x1.357cc2b95d9d4p+4), 0x1.dfb36bd770f21p+27);
  EXPECT_EQ(exp(0x1.79d9070e78b3ep+4), 0x1.0cb78940ab4dcp+34);
  EXPECT_EQ(exp(0x1.1b2b0df352250p+5), 0x1.0bebe5dc2d166p+51);
  EXPECT_EQ(exp(0x1.3311f7085337cp+4), 0x1.9c70839e3c4c3p+27);
  EXPECT_EQ(exp(0x1.0e49ba3a67374p+5), 0x1.ac6c73703610bp+48);
  EXPECT_EQ(log(0x1.0000000000000p+1), 0x1.62e42fefa39efp-1);
  EXPECT_EQ(log(0x1.0000000000000p-1), -0x1.62e42fefa39efp-1);
  EXPECT_EQ(log(0x1.4000000000000p+3), 0x1.26bb1bbb55516p+1);
  EXPECT_EQ(log(0x1.9000000000000p+6), 0x1.26bb1bbb55516p+2);
  EXPECT_EQ(log(0x1.0000000000001p+0), 0x1.fffffffffffffp-53);
  EXPECT_EQ(log(0x1.fffffffffffffp-1), -0x1.0000000000000p-53);
  EXPECT_EQ(log(0x1.7e43c8800759cp+996), 0x1.5963447f87fb5p+9);
  EXPECT_EQ(log(0x0.0000000000001p-1022), -0x1.74385446d71c3p+9);
  EXPECT_EQ(log(0x1.8000000000000p+1), 0x1.193ea7aad030bp+0);
  EXPECT_EQ(log(0x1.4092492492492p+6), 0x1.18905afdb8590p+2);
  EXPECT_EQ(log(0x1.d0156a40b23b7p+4), 0x1.af0974f272697p+1);
  EXPECT_EQ(log(0x1.d19f6646feac7p+8), 0x1.892d10a63b550p+2);
  EXPECT_EQ(log(0x1.d7ada8e710d7ap+9), 0x1.b65d4c6c1424dp+2);
  EXPECT_EQ(log(0x1.447cbe283da6ep+9), 0x1.9e6cd8e2e31bbp+2);
  EXPECT_EQ(log(0x1.c27343504d9f0p+9), 0x1.b36ad210254dcp+2);
  EXPECT_EQ(log(0x1.c4d2e865e58c5p+6), 0x1.2eab5b9ec1b69p+2);
  EXPECT_EQ(log1p(0x1.79ca10c924223p-67), 0x1.79ca10c924223p-67);
  EXPECT_EQ(log1p(-0x1.79ca10c924223p-67), -0x1.79ca10c924223p-67);
  EXPECT_EQ(log1p(0x1.4f8b588e368f1p-17), 0x1.4f8aea9ae7317p-17);
  EXPECT_EQ(log1p(-0x1.0000000000000p-1), -0x1.62e42fefa39efp-1);
  EXPECT_EQ(log1p(0x1.3333333333333p-2), 0x1.0ca937be1b9dcp-2);
  EXPECT_EQ(log1p(0x1.2a05f20000000p+33), 0x1.7069e2aa3184ep+4);
  EXPECT_EQ(log1p(-0x1.fffffffffffffp-1), -0x1.25e4f7b2737fap+5);
  EXPECT_EQ(log1p(0x1.d758f21bf78a2p-2), 0x1.83babe56453c4p-2);
  EXPECT_EQ(log1p(-0x1.7ac12f98867bcp-3), -0x1.a2ccbb80bbacbp-3);
  EXPECT_EQ(log1p(0x1.5a937cd953921p-1), 0x1.08adc3d9d17fbp-1);
  EXPECT_EQ(log1p(0x1.87634bd4acfffp-1), 0x1.22ba45203f83ep-1);
  EXPECT_EQ(log1p(-0x1.b953fb2b7e07ap-1), -0x1.faf35c7299360p+0);
  EXPECT_EQ(pow(0x1.0000000000000p+1, 0x1.0000000000000p-1), 0x1.6a09e667f3bcdp+0);
  EXPECT_EQ(pow(0x1.1000000000000p+4, 0x1.3333333333333p+0), 0x1.df5b48794235bp+4);
  EXPECT_EQ(pow(0x1.3333333333333p-2, 0x1.8000000000000p+1), 0x1.ba5e353f7ced8p-6);
  EXPECT_EQ(pow(0x1.f000000000000p+4, 0x1.aaaaaaaaaaaabp-1), 0x1.17d8f42ef576cp+4);
  EXPECT_EQ(pow(0x1.ff7ced916872bp-1, 0x1.34a0000000000p+10), 0x1.29c79e2c9f96ap-2);
  EXPECT_EQ(pow(0x1.ccccccccccccdp-1, 0x1.0000000000000p+12), 0x1.50b3c206e427dp-623);
  EXPECT_EQ(pow(0x1.5ac486b9a1556p+3, -0x1.1a4337e2de2e7p+1), 0x1.5644f3751fa98p-8);
  EXPECT_EQ(pow(0x1.6e89c41d5f79fp+5, 0x1.5420ea7e4f5a2p+1), 0x1.9521fc29deda8p+14);
  EXPECT_EQ(pow(0x1.febbc550c5299p+2, 0x1.7c59204b8252ep+1), 0x1.def8607db06b1p+8);
  EXPECT_EQ(pow(0x1.bc0e44e72ba41p+2, 0x1.2cadaf0e58f04p+0), 0x1.3755cb3d2a38ap+3);
  EXPECT_EQ(pow(0x1.957002e4e5767p+2, -0x1.3edd34e236886p+2), 0x1.a8c91eca9785ep-14);
  EXPECT_EQ(tan(0x1.b7cdfd9d7bdbbp-34), 0x1.b7cdfd9d7bdbbp-34);
  EXPECT_EQ(tan(0x1.0000000000000p-1), 0x1.17b4f5bf3474ap-1);
  EXPECT_EQ(tan(0x1.921fb543d4de0p+0), 0x1.2a05e46caefdfp+33);
  EXPECT_EQ(tan(0x1.8000000000000p+1), -0x1.23ef71254b86fp-3);
  EXPECT_EQ(tan(0x1.5e3c28a1ddef4p+0), 0x1.376a7151d142fp+2);
  EXPECT_EQ(tan(0x1.50bd246c19f4ap-2), 0x1.5d6d1e54da672p-2);
  EXPECT_EQ(tan(0x1.5a6cbd7944634p-2), 0x1.68467e7d055eap-2);
  EXPECT_EQ(tan(0x1.8adacd194ae9ap+0), 0x1.19a98432feaa2p+5);
  EXPECT_EQ(sin(0x1.999999999999ap-4), 0x1.98eaecb8bcb2cp-4);
  EXPECT_EQ(cos(0x1.999999999999ap-4), 0x1.fd712f9a817c1p-1);
  EXPECT_EQ(sin(0x1.8000000000000p+1), 0x1.210386db6d55bp-3);
  EXPECT_EQ(cos(0x1.8000000000000p+1), -0x1.fae04be85e5d2p-1);
  EXPECT_EQ(sin(-0x1.4000000000000p+1), -0x1.326af0dcfcab1p-1);
  EXPECT_EQ(cos(-0x1.4000000000000p+1), -0x1.9a2f7ef858b7dp-1);
  EXPECT_EQ(sin(0x1.f000000000000p+4), -0x1.9dbc0b640fc81p-2);
  EXPECT_EQ(cos(0x1.f000000000000p+4), 0x1.d4591c3e12a20p-1);
}

TEST(Elementary, TakesEveryArgument) {
  EXPECT_EQ(exp(0), 1);
  EXPECT_EQ(exp(-kInfinity), 0);
  EXPECT_EQ(exp(kInfinity), kInfinity);
  EXPECT_EQ(exp(710), kInfinity);
  EXPECT_EQ(exp(-746), 0);
  EXPECT_TRUE(std::isnan(exp(std::nan(""))));
  EXPECT_EQ(log(1), 0);
  EXPECT_EQ(log(0), -kInfinity);
  EXPECT_EQ(log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(log(-1)));
  EXPECT_EQ(log1p(0), 0);
  EXPECT_EQ(log1p(-1), -kInfinity);
  EXPECT_EQ(pow(0, 2), 0);
  EXPECT_EQ(pow(0, -1), kInfinity);
  EXPECT_EQ(pow(7, 0), 1);
  EXPECT_EQ(pow(7, 1), 7);
  EXPECT_EQ(pow(7, 2), 49);
  EXPECT_EQ(pow(2, -1074), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(pow(2, 1e300), kInfinity);
  EXPECT_EQ(pow(0.5, 1e300), 0);
  EXPECT_TRUE(std::isnan(pow(-1, 0.5)));
}

TEST(Elementary, FindsTheAngle) {
  for (double angle = -3.14; angle <= 3.14; angle += 0.01)
    EXPECT_NEAR(atan2(2 * std::sin(angle), 2 * std::cos(angle)), angle, 2e-15);
  EXPECT_EQ(atan2(0, 1), 0);
  EXPECT_DOUBLE_EQ(atan2(0, -1), std::acos(-1.0));
}

// The quick way and the long way of log must not part: neighbours in order, and close to the C library.
TEST(Elementary, LogarithmRises) {
  double last = log(0.5);
  for (double x = 0.5; x < 2; x += 0.00001) {
    const double value = log(x);
    EXPECT_GE(value, last);
    EXPECT_NEAR(value, std::log(x), 2e-16);
    last = value;
  }
}

}  // namespace
}  // namespace markeval::elementary
