// The whole command line: the program `markeval`, and `python -m markeval`, whose module holds the same code.
#pragma once

namespace markeval::cli {

/// Does what the words say. The exit code: 0 done, 1 failed, 2 wrong usage, 130 stopped by the user.
int run_program(int argc, char** argv);

}  // namespace markeval::cli
