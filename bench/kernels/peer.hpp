// The public library our matrix product is measured against: OpenBLAS on aarch64, oneDNN on x86-64.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace markeval::bench {

/// out (rows x outputs) = in (rows x inputs) * transposed(weights (outputs x inputs)), all dense, row-major.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual void run() = 0;
};

std::string peer_name(std::size_t threads);
/// The operands must outlive it; what the library can do once per weights, it does here.
std::unique_ptr<Peer> make_peer(const float* in, const float* weights, float* out, std::size_t rows,
                                std::size_t inputs, std::size_t outputs);

}  // namespace markeval::bench
