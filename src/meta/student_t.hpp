// Student's t distribution: the probabilities the tests need.
#pragma once

namespace markeval::meta {

/// P(T > t) for T of `degrees` > 0 degrees of freedom; relative error about 1e-13 also far out in the tail.
double student_t_upper_tail(double t, double degrees);

/// P(|T| > |t|).
double student_t_two_sided(double t, double degrees);

/// The t >= 0 with P(|T| > t) = `probability` in (0, 1): 0.05 and 10 degrees -> 2.228.
double student_t_two_sided_quantile(double probability, double degrees);

}  // namespace markeval::meta
