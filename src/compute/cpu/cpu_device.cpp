// The CPU behind the Device interface: device memory is host memory, work is spread over the thread pool.
#include <cassert>
#include <cstring>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "compute/cpu/cpu_products.hpp"
#include "compute/cpu/dispatch.hpp"
#include "compute/cpu/host_memory.hpp"
#include "compute/cpu/matrix_product.hpp"
#include "compute/cpu/pair_operations.hpp"
#include "compute/cpu/row_matching.hpp"
#include "compute/cpu/transformer_operations.hpp"
#include "compute/device.hpp"

namespace markeval::compute {
namespace cpu {
namespace {

static_assert(static_cast<int>(TileActivation::none) == static_cast<int>(Activation::none));
static_assert(static_cast<int>(TileActivation::relu) == static_cast<int>(Activation::relu));
static_assert(static_cast<int>(TileActivation::gelu) == static_cast<int>(Activation::gelu));

class CpuWeights final : public PackedWeights {
 public:
  CpuWeights(PackedMatrix matrix, Precision precision) : matrix_(std::move(matrix)), precision_(precision) {}
  std::size_t outputs() const override { return matrix_.outputs(); }
  std::size_t inputs() const override { return matrix_.inputs(); }
  Precision precision() const override { return precision_; }
  const PackedMatrix& matrix() const { return matrix_; }

 private:
  PackedMatrix matrix_;
  Precision precision_;
};

void copy_rows(MatrixView<const std::byte> from, MatrixView<std::byte> to) {
  assert(from.rows() == to.rows() && from.columns() == to.columns());
  if (from.empty()) return;
  if (from.stride() == from.columns() && to.stride() == to.columns()) {
    std::memcpy(to.data(), from.data(), from.rows() * from.columns());
    return;
  }
  for (std::size_t row = 0; row < from.rows(); ++row)
    std::memcpy(to.row(row).data(), from.row(row).data(), from.columns());
}

class CpuDevice final : public Device {
 public:
  CpuDevice(ThreadPool& pool, Isa isa)
      : pool_(pool),
        isa_(isa),
        kernels_(kernels_for(isa)),
        transformer_(make_cpu_transformer(pool, isa)),
        products_(kernels_, pool),
        pairs_(kernels_, pool) {}

  std::string name() const override { return "cpu " + std::string(markeval::name(isa_)); }
  bool supports(Precision precision) const override {
    return precision == Precision::f32 || kernels_.bf16 != nullptr;
  }

  std::string numerics(Precision precision) const override {
    return precision == Precision::f32 ? "f32" : "bf16-" + std::string(markeval::name(isa_));
  }
  std::size_t batch_tokens() const override { return 1024; }

  std::unique_ptr<Storage> allocate(std::size_t bytes) override {
    return std::make_unique<HostMemory>(bytes);
  }
  void upload(MatrixView<const std::byte> from, DeviceMatrix<std::byte> to) override {
    copy_rows(from, host_view(to));
  }
  void download(DeviceMatrix<const std::byte> from, MatrixView<std::byte> to) override {
    copy_rows(host_view(from), to);
  }
  void download_parts(DeviceMatrix<const std::byte> from,
                      std::span<const RowsDownload<std::byte>> parts) override {
    pool_.for_each(parts.size(), [&](std::size_t part, std::size_t) {
      const auto& [first, to] = parts[part];
      copy_rows(host_view(from.rows_from(first, to.rows())), to);
    });
  }

  std::unique_ptr<PackedWeights> pack_weights(DeviceMatrix<const float> weights,
                                              Precision precision) override {
    if (!supports(precision)) throw_usage("bf16 is not available on " + name());
    const GemmKernel& kernel = precision == Precision::bf16 ? *kernels_.bf16 : *kernels_.f32;
    return std::make_unique<CpuWeights>(PackedMatrix(host_view(weights), kernel, pool_), precision);
  }

  void multiply(ProductRows in, const PackedWeights& weights, const Epilogue& epilogue,
                ProductResult out) override {
    std::visit([&](auto from, auto to) { multiply_rows(from, weights, epilogue, to); }, in, out);
  }

  const Products& products() const override { return products_; }
  TransformerOperations& transformer() override { return *transformer_; }
  void match_rows(RowRelation relation, std::span<const RowMatch> matches) override {
    cpu::match_rows(relation, matches, pool_);
  }
  const PairOperations& pairs() const { return pairs_; }

 private:
  template <typename In, typename Out>
  void multiply_rows(DeviceMatrix<const In> in, const PackedWeights& weights, const Epilogue& epilogue,
                     DeviceMatrix<Out> out) {
    const PackedMatrix& matrix = static_cast<const CpuWeights&>(weights).matrix();
    assert((std::is_same_v<In, float> && std::is_same_v<Out, float>) ||
           weights.precision() == Precision::bf16);
    assert(epilogue.bias.storage == nullptr || epilogue.bias.columns == matrix.outputs());
    assert(epilogue.residual.storage == nullptr ||
           (epilogue.residual.rows == out.rows && epilogue.residual.columns == out.columns));
    FinishTile<Out> finish_tile;
    if constexpr (std::is_same_v<Out, float>)
      finish_tile = kernels_.finish_tile;
    else
      finish_tile = kernels_.finish_tile_bf16;
    cpu::multiply(host_view(in), matrix,
                  {.scale = epilogue.scale,
                   .bias = epilogue.bias.storage == nullptr ? nullptr : host_view(epilogue.bias).data(),
                   .activation = static_cast<TileActivation>(epilogue.activation),
                   .residual = host_view(epilogue.residual)},
                  finish_tile, host_view(out), pool_);
  }

  ThreadPool& pool_;
  Isa isa_;
  const Kernels& kernels_;
  std::unique_ptr<TransformerOperations> transformer_;
  CpuProducts products_;
  PairOperations pairs_;
};

}  // namespace

const PairOperations* pair_operations(Device& device) {
  const auto* const cpu = dynamic_cast<const CpuDevice*>(&device);
  return cpu == nullptr ? nullptr : &cpu->pairs();
}

}  // namespace cpu

std::unique_ptr<Device> make_cpu_device(ThreadPool& pool, Isa isa) {
  return std::make_unique<cpu::CpuDevice>(pool, isa);
}

}  // namespace markeval::compute
