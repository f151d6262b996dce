// For tests/parity/lexical.py: reads one JSON request (see lexical_request.hpp) from stdin, writes the answer
// to stdout.
#include <exception>
#include <iostream>

#include "support/lexical_request.hpp"

int main() {
  try {
    std::cout << markeval::test::answer(nlohmann::json::parse(std::cin)).dump() << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
