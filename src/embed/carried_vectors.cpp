#include "embed/carried_vectors.hpp"

#include "base/error.hpp"

namespace markeval::embed {

void VectorsToCarry::add(const cache::Key& key, MatrixView<const float> rows, std::uint64_t note) {
  for (const std::uint64_t word : {key.high, key.low, key.check, key.length, note}) packer_.add(word);
  packer_.add(std::uint64_t{rows.rows()});
  packer_.add(std::uint64_t{rows.columns()});
  packer_.add(std::string_view(reinterpret_cast<const char*>(rows.data()),
                               rows.rows() * rows.columns() * sizeof(float)));
}

void CarriedVectors::add(std::string_view packed) {
  Unpacker bytes(packed);
  while (!bytes.done()) {
    cache::Key key;
    for (std::uint64_t* word : {&key.high, &key.low, &key.check, &key.length}) *word = bytes.count();
    Carried rows;
    rows.note = bytes.count();
    rows.rows = bytes.count();
    rows.columns = bytes.count();
    const std::string_view values = bytes.text();
    if (rows.columns == 0 || values.size() / sizeof(float) / rows.columns != rows.rows)
      throw_invalid("carried vectors: damaged");
    rows.values = values.data();
    rows_.emplace(key, rows);
  }
}

const CarriedVectors::Carried* CarriedVectors::find(const cache::Key& key) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? nullptr : &found->second;
}

}  // namespace markeval::embed
