// Memory kept for the moment when there is none left: a request that fails is taken down in an orderly way,
// and libraries ask for memory even while they let go of it, where a failure would end the server.
#pragma once

namespace markeval::serve {

/// Keeps the reserve, from the first call on. The first allocation that fails gets half of it, the next one
/// gives up the rest and throws std::bad_alloc. The next call keeps both again, as soon as they are to be
/// had. False: not even half of it is; who begins something new then had better refuse it.
bool keep_memory_reserve();

}  // namespace markeval::serve
