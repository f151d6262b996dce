#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>

#include "peer.hpp"

namespace markeval::bench {
namespace {

// A matmul primitive with weights in the layout the library likes best, made once, as a program using it
// would.
class OneDnn final : public Peer {
 public:
  OneDnn(const float* in, const float* weights, float* out, std::size_t rows, std::size_t inputs,
         std::size_t outputs)
      : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    using Description = dnnl::memory::desc;
    using dnnl::memory;
    const auto m = static_cast<memory::dim>(rows), k = static_cast<memory::dim>(inputs);
    const auto n = static_cast<memory::dim>(outputs);
    const auto f32 = memory::data_type::f32;
    const Description in_description({m, k}, f32, memory::format_tag::ab),
        out_description({m, n}, f32, memory::format_tag::ab);
    const Description given({k, n}, f32, memory::format_tag::ba), any({k, n}, f32, memory::format_tag::any);
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::matmul::primitive_desc description(engine_, in_description, any, out_description);
#else
    const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(in_description, any, out_description),
                                                   engine_);
#endif
    memory plain(given, engine_, const_cast<float*>(weights));
    memory packed(description.weights_desc(), engine_);
    dnnl::reorder(plain, packed).execute(stream_, plain, packed);
    stream_.wait();
    matmul_ = dnnl::matmul(description);
    arguments_ = {{DNNL_ARG_SRC, memory(in_description, engine_, const_cast<float*>(in))},
                  {DNNL_ARG_WEIGHTS, packed},
                  {DNNL_ARG_DST, memory(out_description, engine_, out)}};
  }
  void run() override {
    matmul_.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::matmul matmul_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

}  // namespace

std::string peer_name(std::size_t threads) {
  omp_set_num_threads(static_cast<int>(threads));
  const dnnl_version_t* const version = dnnl_version();
  return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch) + ", " + std::to_string(omp_get_max_threads()) + " threads";
}

std::unique_ptr<Peer> make_peer(const float* in, const float* weights, float* out, std::size_t rows,
                                std::size_t inputs, std::size_t outputs) {
  return std::make_unique<OneDnn>(in, weights, out, rows, inputs, outputs);
}

}  // namespace markeval::bench
