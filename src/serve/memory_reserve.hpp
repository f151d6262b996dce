// Memory kept for the moment when there is none left: a request that fails is taken down in an orderly way,
// and libraries ask for memory even while they let go of it, where a failure would end the server.
#pragma once

namespace markeval::serve {

/// Keeps the reserve, from the first call on. An allocation that fails gives it up and throws std::bad_alloc;
/// the next call keeps it again, as soon as it is to be had.
void keep_memory_reserve();

}  // namespace markeval::serve
