// Memory kept for the moment when there is none left: a request that fails is taken down in an orderly way,
// and libraries ask for memory even while they let go of it, where a failure would end the server.
#pragma once

namespace markeval::serve {

/// Keeps the reserve, from the first call on. The first allocation that fails gets half of it, the next one
/// gives up the rest and throws std::bad_alloc. The next call keeps both again, as soon as they are to be
/// had. False: not even half of it is; who begins something new then had better refuse it.
bool keep_memory_reserve();

/// Where the address space is limited (ulimit -v), lets threads share heaps of the C library: each heap takes
/// 64 MiB of addresses, however little it holds. Before any thread is started.
void spare_address_space();

}  // namespace markeval::serve
