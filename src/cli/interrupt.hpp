// How the program ends before its time. Ctrl-C: the first one asks the computation to stop, the second one
// ends the program the hard way.
#pragma once

#include <atomic>

namespace markeval::cli {

/// From now on SIGINT and SIGTERM set the flag returned, and the thread that calls this stops by it.
const std::atomic<bool>& catch_interrupts();

/// From now on a file larger than `ulimit -f` allows is an error of the write, not the end of the program.
void ignore_file_size_signal();

/// From now on the program says what ended it where a library gives up without memory.
void end_with_a_sentence();

}  // namespace markeval::cli
