// markeval: how good is generated text?
#include "cli/program.hpp"

int main(int argc, char** argv) {
  return markeval::cli::run_program(argc, argv);
}
