// Memory by mmap that grows by doubling, in RAM or in an unlinked file, and the check for finite values.
#include "vectors/vectors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"

namespace markeval::vectors {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{1} << 16;

// Squared distances are summed in double: the square of any float fits, that of a double need not.
template <typename T>
constexpr T kLargestValue = std::numeric_limits<T>::max();
template <>
constexpr double kLargestValue<double> = 1e150;

template <typename T>
Vectors stack_as(std::span<const Vectors> parts, std::size_t rows, std::size_t columns, std::string name) {
  ByteStore bytes("");
  T* out = reinterpret_cast<T*>(bytes.extend(rows * columns * sizeof(T)).data());
  const MatrixView<const T> all(out, rows, columns);
  for (const Vectors& part : parts) {
    std::visit(
        [&](const auto& view) {
          for (std::size_t row = 0; row < view.rows(); ++row) {
            out = std::transform(view.row(row).begin(), view.row(row).end(), out,
                                 [](auto value) { return static_cast<T>(value); });
          }
        },
        part.view());
  }
  return {std::move(name), all, std::move(bytes)};
}

}  // namespace

ByteStore::ByteStore(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::string path = folder_ + "/markeval-rows-XXXXXX";
  file_ = Descriptor(::mkostemp(path.data(), O_CLOEXEC));
  if (!file_) throw_io(folder_, "make a file for vectors");
  ::unlink(path.c_str());
}

ByteStore::~ByteStore() {
  if (data_ != nullptr) ::munmap(data_, capacity_);
}

ByteStore& ByteStore::operator=(ByteStore&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

/// Room to spare costs nothing: the system gives a page when it is first written.
void ByteStore::grow(std::size_t needed) {
  const std::size_t wanted = std::max({needed, capacity_ * 2, kFirstBytes});
  if (file_) {
    // Written to a page without space on the disk, the process would be ended by a signal.
    const int reason = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(wanted));
    if (reason != 0) throw_io(folder_, "keep vectors in a file there", reason);
  }
  const int kind = file_ ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* const memory = data_ != nullptr
                           ? ::mremap(data_, capacity_, wanted, MREMAP_MAYMOVE)
                           : ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, kind, file_.get(), 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(memory);
  capacity_ = wanted;
}

std::span<std::byte> ByteStore::extend(std::size_t count) {
  if (count > capacity_ - size_) grow(size_ + count);
  size_ += count;
  return {data_ + size_ - count, count};
}

std::string temporary_folder() {
  const std::string_view folder = environment("TMPDIR");
  return std::string(folder.empty() ? "/tmp" : folder);
}

void require_finite(const Vectors& vectors, ThreadPool& pool) {
  constexpr std::size_t kBlock = 1024;
  const std::size_t blocks = (vectors.rows() + kBlock - 1) / kBlock;
  pool.for_each(blocks, [&](std::size_t block, std::size_t) {
    check_cancelled();
    std::visit(
        [&](const auto& view) {
          const std::size_t end = std::min(view.rows(), (block + 1) * kBlock);
          for (std::size_t row = block * kBlock; row < end; ++row) {
            const auto values = view.row(row);
            const auto bad = std::find_if_not(values.begin(), values.end(), [](auto value) {
              return std::abs(value) <= kLargestValue<decltype(value)>;
            });
            if (bad == values.end()) continue;
            const std::string where =
                fmt::format("{}: row {}, column {} is", vectors.name(), row + 1, bad - values.begin() + 1);
            if (std::isfinite(*bad))
              throw_invalid(fmt::format("{} {:.3g}, too large: its square overflows", where, *bad));
            throw_invalid(
                fmt::format("{} {}, expected a finite number", where, std::isnan(*bad) ? "NaN" : "infinite"));
          }
        },
        vectors.view());
  });
}

Vectors stack(std::span<const Vectors> parts) {
  std::size_t rows = 0;
  bool wide = false;
  std::string name;
  for (const Vectors& part : parts) {
    assert(part.columns() == parts.front().columns());
    rows += part.rows();
    wide = wide || std::holds_alternative<MatrixView<const double>>(part.view());
    name += (name.empty() ? "" : " + ") + part.name();
  }
  const std::size_t columns = parts.front().columns();
  return wide ? stack_as<double>(parts, rows, columns, name) : stack_as<float>(parts, rows, columns, name);
}

}  // namespace markeval::vectors
