#include "embed/carried_vectors.hpp"

#include "base/error.hpp"

namespace markeval::embed {

void VectorsToCarry::add(const cache::Key& key, MatrixView<const float> rows, std::uint64_t note) {
  const auto record = cache::make_record(key, rows, note, static_cast<std::size_t>(-1));
  if (!record) return;  // of 2^32 rows: whoever scores makes it anew
  packer_.add(std::string_view(reinterpret_cast<const char*>(record->data()), record->size()));
}

void CarriedVectors::add(std::string_view packed) {
  Unpacker bytes(packed);
  while (!bytes.done()) {
    const std::span<const std::byte> record = std::as_bytes(std::span(bytes.text()));
    const std::optional<cache::Key> key = cache::key_of(record);
    if (!key) throw_invalid("carried vectors: damaged");
    records_.emplace(*key, record);
  }
}

void CarriedVectors::read(std::span<const cache::Key> keys, cache::VectorCache::Accept accept) const {
  cache::CachedMatrix matrix;
  for (std::size_t index = 0; index < keys.size(); ++index) {
    const auto found = records_.find(keys[index]);
    if (found == records_.end()) continue;
    if (!cache::read_record(found->second, keys[index], matrix)) throw_invalid("carried vectors: damaged");
    accept(index, matrix.view(), matrix.note);
  }
}

}  // namespace markeval::embed
