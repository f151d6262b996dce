// The index is a sorted table of protocol buffers; each tensor's place is checked against the data file and
// its checksum.
#include "encoder/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/limits.hpp"
#include "base/quotation.hpp"
#include "encoder/byte_reader.hpp"
#include "encoder/crc32c.hpp"
#include "encoder/sorted_table.hpp"

namespace markeval::encoder {
namespace {

constexpr std::string_view kIndexEnding = ".index";
constexpr std::string_view kRoot = "bert/";
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;

/// One field of a protocol buffer: a number, or bytes.
struct ProtoField {
  std::uint64_t field = 0, number = 0;
  std::span<const std::byte> bytes;
};

ProtoField read_field(ByteReader& reader) {
  const std::uint64_t tag = reader.varint();
  ProtoField result{.field = tag >> 3, .number = 0, .bytes = {}};
  switch (tag & 7) {
    case 0:
      result.number = reader.varint();
      break;
    case 1:
      result.number = reader.number<8>();
      break;
    case 2:
      result.bytes = reader.take(reader.varint());
      break;
    case 5:
      result.number = reader.number<4>();
      break;
    default:
      reader.fail("a record of another kind than protocol buffers");
  }
  return result;
}

/// BundleEntryProto of tensorflow/core/protobuf/tensor_bundle.proto.
struct CheckpointEntry {
  std::uint64_t type = 0, shard = 0, offset = 0, bytes = 0;
  std::vector<std::size_t> shape;
  std::optional<std::uint32_t> checksum;
  bool has_slices = false;
};

struct CheckpointIndex {
  std::uint64_t shards = 1;
  std::vector<std::pair<std::string, CheckpointEntry>> entries;
};

std::string_view type_name(std::uint64_t type) {
  switch (type) {  // DataType of tensorflow/core/framework/types.proto
    case 1:
      return "F32";
    case 2:
      return "F64";
    case 3:
      return "I32";
    case 9:
      return "I64";
    case 14:
      return "BF16";
    case 19:
      return "F16";
    default:
      return "";
  }
}

// TensorShapeProto: extents are field 2, and in each the size is field 1.
std::vector<std::size_t> read_shape(ByteReader reader) {
  std::vector<std::size_t> shape;
  while (!reader.at_end()) {
    const ProtoField extent = read_field(reader);
    if (extent.field != 2) continue;
    shape.push_back(0);
    ByteReader parts(extent.bytes, reader.where());
    while (!parts.at_end()) {
      const ProtoField part = read_field(parts);
      if (part.field == 1) shape.back() = static_cast<std::size_t>(part.number);
    }
  }
  return shape;
}

CheckpointEntry read_entry(ByteReader reader) {
  CheckpointEntry entry;
  while (!reader.at_end()) {
    const ProtoField field = read_field(reader);
    if (field.field == 1) entry.type = field.number;
    if (field.field == 2) entry.shape = read_shape(ByteReader(field.bytes, reader.where()));
    if (field.field == 3) entry.shard = field.number;
    if (field.field == 4) entry.offset = field.number;
    if (field.field == 5) entry.bytes = field.number;
    if (field.field == 6) entry.checksum = static_cast<std::uint32_t>(field.number);
    if (field.field == 7) entry.has_slices = true;
  }
  return entry;
}

// The first entry has no name and tells of the files (BundleHeaderProto), all others are tensors.
CheckpointIndex read_index(const OpenFile& file) {
  if (file.size() > limit_of(Limit::header_bytes))
    throw_beyond(Limit::header_bytes, fmt::format("{}: {} bytes", file.path(), file.size()));
  std::vector<std::byte> bytes(file.size());
  file.read_at(0, bytes);
  CheckpointIndex index;
  for (const auto& [name, value] : read_sorted_table(bytes, file.path())) {
    ByteReader reader(std::as_bytes(std::span(value)), file.path());
    if (!name.empty()) {
      index.entries.emplace_back(name, read_entry(reader));
      continue;
    }
    while (!reader.at_end()) {
      const ProtoField field = read_field(reader);
      if (field.field == 1) index.shards = field.number;
      if (field.field == 2 && field.number != 0)
        throw_invalid(file.path() + ": its numbers are big endian, markeval reads little endian only");
    }
  }
  if (index.shards == 0) throw_invalid(file.path() + ": damaged: it tells of no data file");
  if (index.shards > limit_of(Limit::model_files))
    throw_beyond(Limit::model_files, fmt::format("{}: {} data files", file.path(), index.shards));
  return index;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Fails where the checksum the index gives is another one.
void require_checksum(const OpenFile& data, const CheckpointEntry& entry, const std::string& variable) {
  if (!entry.checksum) return;
  Crc32c checksum;
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min<std::uint64_t>(kReadAtOnce, entry.bytes)));
  for (std::uint64_t done = 0; done < entry.bytes;) {
    const auto part = std::span(piece).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(kReadAtOnce, entry.bytes - done)));
    data.read_at(entry.offset + done, part);
    checksum.add(part);
    done += part.size();
  }
  if (checksum.masked() != *entry.checksum)
    throw_invalid(fmt::format("{}: damaged: the checksum of {} is wrong", data.path(), in_quotes(variable)));
}

Tensor tensor_of(const OpenFile& data, const CheckpointEntry& entry, const std::string& variable) {
  const auto fail = [&](const std::string& what) {
    throw_invalid(fmt::format("{}: damaged: {} {}", data.path(), in_quotes(variable), what));
  };
  if (entry.has_slices) fail("is spread over several tensors, expected one");
  Tensor tensor{.dtype = std::string(type_name(entry.type)), .shape = entry.shape};
  if (tensor.dtype.empty()) fail(fmt::format("is of type {}, which markeval does not know", entry.type));
  std::size_t bytes = *element_bytes(tensor.dtype);
  for (const std::size_t extent : entry.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) fail("is too large");
  }
  if (bytes != entry.bytes)
    fail(fmt::format("has {} bytes, but {} {} needs {}", entry.bytes, tensor.dtype,
                     describe_shape(entry.shape), bytes));
  if (entry.offset > data.size() || entry.bytes > data.size() - entry.offset)
    fail(fmt::format("lies outside the file of {} bytes", data.size()));
  tensor.begin = static_cast<std::size_t>(entry.offset);
  tensor.bytes = bytes;
  if (variable.ends_with("/kernel") && tensor.shape.size() == 2) {
    tensor.strides = {1, tensor.shape[1]};
    std::swap(tensor.shape[0], tensor.shape[1]);
  }
  return tensor;
}

}  // namespace

std::string name_of_variable(const std::string& variable) {
  if (!variable.starts_with(kRoot)) return {};
  const std::size_t slash = variable.rfind('/');
  const std::string_view last = std::string_view(variable).substr(slash + 1);
  std::string name = variable.substr(0, slash);
  if (last.ends_with("_embeddings")) {
    name = variable + "/weight";
  } else if (last == "kernel" || last == "gamma") {
    name += "/weight";
  } else if (last == "bias" || last == "beta") {
    name += "/bias";
  } else {
    return {};  // adam_m, adam_v
  }
  replace_all(name, "/layer_", "/layer/");
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

std::vector<std::string> checkpoint_data_files(const OpenFile& index) {
  const std::string start = index.path().substr(0, index.path().size() - kIndexEnding.size());
  const std::uint64_t shards = read_index(index).shards;
  std::vector<std::string> names;
  for (std::uint64_t shard = 0; shard < shards; ++shard)
    names.push_back(fmt::format("{}.data-{:05}-of-{:05}", start, shard, shards));
  return names;
}

std::vector<TensorFile> read_checkpoint(std::span<const OpenFile> files) {
  const CheckpointIndex index = read_index(files.front());
  const auto data = files.subspan(1);
  std::vector<Tensors> tensors(data.size());
  std::set<std::string> names;
  for (const auto& [variable, entry] : index.entries) {
    const std::string name = name_of_variable(variable);
    if (name.empty()) continue;
    if (entry.shard >= data.size())
      throw_invalid(fmt::format("{}: damaged: {} is in data file {} of {}", files.front().path(),
                                in_quotes(variable), entry.shard, data.size()));
    const OpenFile& file = data[static_cast<std::size_t>(entry.shard)];
    Tensor tensor = tensor_of(file, entry, variable);
    require_checksum(file, entry, variable);
    if (!names.insert(name).second)
      throw_invalid(fmt::format("{}: damaged: {} comes twice", files.front().path(), in_quotes(variable)));
    tensors[static_cast<std::size_t>(entry.shard)].emplace(name, std::move(tensor));
  }
  if (names.empty())
    throw_invalid(files.front().path() +
                  ": no BERT: expected variables such as 'bert/embeddings/word_embeddings'");
  std::vector<TensorFile> result;
  for (std::size_t shard = 0; shard < data.size(); ++shard)
    result.emplace_back(data[shard], 0, std::move(tensors[shard]));
  return result;
}

}  // namespace markeval::encoder
