// An observer that a program does not override hears nothing.
#include "request/observer.hpp"

namespace markeval {

void Observer::progress(std::string_view, std::uint64_t, std::uint64_t) {}
void Observer::info(const std::string&) {}
void Observer::warning(const std::string&) {}
void Observer::early_results(const std::vector<Result>&) {}

}  // namespace markeval
