// exp, log and their relatives with the same bits on every machine. The C library's are not: glibc picks a
// version by CPU, and versions differ in the last bit. These are computed to about 100 bits and rounded once,
// so they are the nearest double but for one argument in billions. They take a tenth of a microsecond or two.
//
// Sources of src must call these, not std::exp and so on (tests/architecture checks it); +, -, *, /, sqrt and
// fma are exact by IEEE 754 and need no replacement.
#pragma once

namespace markeval::elementary {

/// e^x; 0 below -745, infinite above 709.8.
double exp(double x);
/// The natural logarithm; -infinity at 0, NaN below.
double log(double x);
/// log(1 + x), exact for small x too.
double log1p(double x);
/// x^y for x >= 0. 0^y is 0 for y > 0, 1 for y = 0, infinite below.
double pow(double x, double y);
/// sin(x) and cos(x) for |x| <= 1000.
double sin(double x);
double cos(double x);
/// sin(x) / cos(x) for |x| <= 1000.
double tan(double x);
/// The angle of the point (x, y), in (-pi, pi]. Within five units of the last place.
double atan2(double y, double x);

}  // namespace markeval::elementary
