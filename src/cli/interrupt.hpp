// Ctrl-C: the first one asks the computation to stop, the second one ends the program the hard way.
#pragma once

#include <atomic>

namespace markeval::cli {

/// From now on SIGINT and SIGTERM set the flag returned.
const std::atomic<bool>& catch_interrupts();

}  // namespace markeval::cli
