#include <cblas.h>

#include "peer.hpp"

namespace markeval::bench {
namespace {

class OpenBlas final : public Peer {
 public:
  OpenBlas(const float* in, const float* weights, float* out, std::size_t rows, std::size_t inputs,
           std::size_t outputs)
      : in_(in), weights_(weights), out_(out), m_(int(rows)), k_(int(inputs)), n_(int(outputs)) {}
  void run() override {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m_, n_, k_, 1.0f, in_, k_, weights_, k_, 0.0f, out_,
                n_);
  }

 private:
  const float *in_, *weights_;
  float* out_;
  int m_, k_, n_;
};

}  // namespace

std::string peer_name(std::size_t threads) {
  openblas_set_num_threads(static_cast<int>(threads));
  return std::string(openblas_get_config()) + ", " + std::to_string(openblas_get_num_threads()) + " threads";
}

std::unique_ptr<Peer> make_peer(const float* in, const float* weights, float* out, std::size_t rows,
                                std::size_t inputs, std::size_t outputs) {
  return std::make_unique<OpenBlas>(in, weights, out, rows, inputs, outputs);
}

}  // namespace markeval::bench
