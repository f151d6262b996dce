// Both forms are read into a list of pickled tensors and storages; then each tensor gets its place in the
// file.
#include "encoder/torch_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/limits.hpp"
#include "base/quotation.hpp"
#include "encoder/pickle.hpp"
#include "encoder/zip_entries.hpp"

namespace markeval::encoder {
namespace {

constexpr std::string_view kZipMagic = "PK\x03\x04";
// The pickle of 0x1950a86a20f9469cfc6c, with which the older form begins.
constexpr std::string_view kLegacyMagic("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
constexpr std::int64_t kLegacyProtocol = 1001;
constexpr std::string_view kPickleName = "/data.pkl";

constexpr std::string_view kParameter = "torch._utils._rebuild_parameter";
constexpr std::string_view kTensor = "torch._utils._rebuild_tensor",
                           kTensor2 = "torch._utils._rebuild_tensor_v2";

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kStorageTypes{{
    {"torch.FloatStorage", "F32"},
    {"torch.HalfStorage", "F16"},
    {"torch.BFloat16Storage", "BF16"},
    {"torch.DoubleStorage", "F64"},
    {"torch.LongStorage", "I64"},
    {"torch.IntStorage", "I32"},
    {"torch.ShortStorage", "I16"},
    {"torch.CharStorage", "I8"},
    {"torch.ByteStorage", "U8"},
    {"torch.BoolStorage", "BOOL"},
}};

/// All that a pickle of tensors may name.
constexpr auto kAllowed = [] {
  std::array<std::string_view, kStorageTypes.size() + 5> names{"collections.OrderedDict", kParameter, kTensor,
                                                               kTensor2, "torch.Size"};
  std::transform(kStorageTypes.begin(), kStorageTypes.end(), names.begin() + 5,
                 [](const auto& type) { return type.first; });
  return names;
}();

/// One piece of numbers, which several tensors may share.
struct TorchStorage {
  std::string dtype;
  std::size_t elements = 0;  ///< as the pickle has it
  std::size_t begin = 0, bytes = 0;
  bool found = false;  ///< whether it lies in the file
};

using TorchStorages = std::map<std::string, TorchStorage, std::less<>>;

/// The part of a storage that a pickle points at.
struct StoragePart {
  std::string key;
  std::size_t first = 0, elements = 0;
};

/// A tensor whose numbers have no place yet.
struct PickledTensor {
  StoragePart storage;
  std::size_t offset = 0;
  std::vector<std::size_t> shape, strides;
};

class TensorPickle {
 public:
  TensorPickle(ByteReader& reader, const std::string& path) : path_(path), pickle_(reader, kAllowed) {
    const PickleValue& root = pickle_.root();
    if (root.kind != PickleKind::dictionary) fail("it holds no dictionary of tensors");
    for (const PickleValue& value : pickle_.values()) {
      if (value.kind == PickleKind::reference) read_storage(value);
    }
    for (std::size_t index = 0; index < root.items.size(); index += 2) {
      const PickleValue& key = pickle_[root.items[index]];
      if (key.kind != PickleKind::text) continue;
      auto tensor = read_tensor(&pickle_[root.items[index + 1]], key.text);
      if (tensor && !tensors_.emplace(key.text, *std::move(tensor)).second)
        fail(fmt::format("tensor {} comes twice", in_quotes(key.text)));
    }
    if (tensors_.empty()) fail("it holds no tensors");
  }

  TorchStorages& storages() { return storages_; }

  /// When the storages have their places.
  Tensors tensors() const {
    Tensors result;
    for (const auto& [name, tensor] : tensors_) result.emplace(name, tensor_of(name, tensor));
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw_invalid(path_ + ": damaged: " + what); }

  std::size_t read_size(const PickleValue& value, const char* what) const {
    if (value.kind != PickleKind::integer || value.integer < 0)
      fail(fmt::format("{}: expected a whole number >= 0", what));
    return static_cast<std::size_t>(value.integer);
  }

  /// A tuple, or torch.Size of one.
  std::vector<std::size_t> read_sizes_of(const PickleValue& value, const char* what) const {
    const PickleValue* tuple = &value;
    if (value.kind == PickleKind::call && value.text == "torch.Size" && value.items.size() == 1)
      tuple = &pickle_[value.items.front()];
    if (tuple->kind != PickleKind::tuple) fail(fmt::format("{} of a tensor is no tuple", what));
    std::vector<std::size_t> sizes;
    for (const std::uint32_t item : tuple->items) sizes.push_back(read_size(pickle_[item], what));
    return sizes;
  }

  std::optional<PickledTensor> read_tensor(const PickleValue* value, const std::string& name) {
    while (value->kind == PickleKind::call && value->text == kParameter && !value->items.empty())
      value = &pickle_[value->items.front()];
    if (value->kind != PickleKind::call || (value->text != kTensor && value->text != kTensor2)) {
      return std::nullopt;
    }
    if (value->items.size() < 4)
      fail(fmt::format("tensor {} is made of {} parts, expected 4 or more", in_quotes(name),
                       value->items.size()));
    PickledTensor tensor;
    tensor.storage = read_storage(pickle_[value->items[0]]);
    tensor.offset = read_size(pickle_[value->items[1]], "offset");
    tensor.shape = read_sizes_of(pickle_[value->items[2]], "shape");
    tensor.strides = read_sizes_of(pickle_[value->items[3]], "strides");
    if (tensor.shape.size() != tensor.strides.size())
      fail(fmt::format("tensor {} has {} extents and {} strides", in_quotes(name), tensor.shape.size(),
                       tensor.strides.size()));
    return tensor;
  }

  // ('storage', type, key, device, elements), in the older form and a view (key, first, elements) or None.
  StoragePart read_storage(const PickleValue& reference) {
    const auto part = [&](std::size_t index) -> const PickleValue& {
      return pickle_[reference.items[index]];
    };
    if (reference.kind != PickleKind::reference || reference.items.size() < 5 || part(0).text != "storage" ||
        part(1).kind != PickleKind::global || part(2).kind != PickleKind::text) {
      fail("a tensor without a storage");
    }
    const auto type = std::find_if(kStorageTypes.begin(), kStorageTypes.end(),
                                   [&](const auto& known) { return known.first == part(1).text; });
    if (type == kStorageTypes.end()) fail(fmt::format("{} is no type of a storage", in_quotes(part(1).text)));
    TorchStorage storage;
    storage.dtype = type->second;
    storage.elements = read_size(part(4), "size of a storage");
    const auto [known, is_new] = storages_.emplace(part(2).text, storage);
    if (!is_new && (known->second.dtype != storage.dtype || known->second.elements != storage.elements))
      fail(fmt::format("storage {} has two types or sizes", in_quotes(part(2).text)));
    StoragePart result{part(2).text, 0, storage.elements};
    if (reference.items.size() > 5 && part(5).kind == PickleKind::tuple && part(5).items.size() == 3) {
      result.first = read_size(pickle_[part(5).items[1]], "first element of a view");
      result.elements = read_size(pickle_[part(5).items[2]], "size of a view");
      if (result.first > storage.elements || result.elements > storage.elements - result.first)
        fail("a view lies outside its storage");
    }
    return result;
  }

  Tensor tensor_of(const std::string& name, const PickledTensor& pickled) const {
    const TorchStorage& storage = storages_.find(pickled.storage.key)->second;
    const std::size_t width = *element_bytes(storage.dtype);
    if (!storage.found)
      fail(fmt::format("the numbers of tensor {}, storage {}, are not in the file", in_quotes(name),
                       in_quotes(pickled.storage.key)));
    if (storage.elements > storage.bytes / width)
      fail(fmt::format("storage {} has {} bytes, but {} elements of {} need more",
                       in_quotes(pickled.storage.key), storage.bytes, storage.elements, storage.dtype));
    Tensor tensor{.dtype = storage.dtype, .shape = pickled.shape};
    const auto outside = [&] {
      fail(fmt::format("tensor {} of shape {} is larger than its storage of {} elements", in_quotes(name),
                       describe_shape(pickled.shape), pickled.storage.elements));
    };
    // No element twice: a small file must not claim a large tensor.
    std::size_t elements = 1, last = 0;
    bool contiguous = true;
    for (std::size_t dimension = pickled.shape.size(); dimension-- > 0;) {
      const std::size_t extent = pickled.shape[dimension], stride = pickled.strides[dimension];
      if (extent > 1 && stride != elements) contiguous = false;
      std::size_t reach = 0;
      if (__builtin_mul_overflow(elements, extent, &elements) ||
          __builtin_mul_overflow(extent == 0 ? 0 : extent - 1, stride, &reach) ||
          __builtin_add_overflow(last, reach, &last)) {
        outside();
      }
    }
    if (elements == 0) return tensor;
    if (elements > pickled.storage.elements || pickled.offset >= pickled.storage.elements ||
        last >= pickled.storage.elements - pickled.offset) {
      outside();
    }
    tensor.begin = storage.begin + (pickled.storage.first + pickled.offset) * width;
    tensor.bytes = (last + 1) * width;
    if (!contiguous) tensor.strides = pickled.strides;
    return tensor;
  }

  std::string path_;
  Pickle pickle_;
  TorchStorages storages_;
  std::map<std::string, PickledTensor> tensors_;
};

std::string read_entry(const OpenFile& file, const std::string& name, const ZipEntry& entry) {
  if (entry.bytes > limit_of(Limit::header_bytes))
    throw_beyond(Limit::header_bytes, fmt::format("{}: its pickle has {} bytes", file.path(), entry.bytes));
  std::string bytes(entry.bytes, '\0');
  require_checksum(file, name, entry);
  file.read_at(entry.begin, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

TensorFile read_archive(const OpenFile& file) {
  const ZipEntries entries = read_zip_entries(file);
  const auto pickle = std::find_if(entries.begin(), entries.end(),
                                   [](const auto& entry) { return entry.first.ends_with(kPickleName); });
  if (pickle == entries.end())
    throw_invalid(file.path() + ": a zip archive without data.pkl, expected what torch.save() writes");
  const std::string folder = pickle->first.substr(0, pickle->first.size() - kPickleName.size());
  if (const auto order = entries.find(folder + "/byteorder");
      order != entries.end() && read_entry(file, order->first, order->second) != "little")
    throw_invalid(file.path() + ": its numbers are big endian, markeval reads little endian only");
  const std::string bytes = read_entry(file, pickle->first, pickle->second);
  ByteReader reader(std::as_bytes(std::span(bytes)), file.path());
  TensorPickle tensors(reader, file.path());
  for (auto& [key, storage] : tensors.storages()) {
    const auto entry = entries.find(folder + "/data/" + key);
    storage.found = entry != entries.end();
    if (!storage.found) continue;
    require_checksum(file, entry->first, entry->second);
    storage.begin = entry->second.begin;
    storage.bytes = entry->second.bytes;
  }
  return {file, 0, tensors.tensors()};
}

// Magic number, version, properties of the machine, the tensors, the keys of the storages, the storages.
TensorFile read_legacy(const OpenFile& file) {
  // How long the pickles are nobody says: the storages begin where they end.
  std::vector<std::byte> start(std::min<std::size_t>(file.size(), limit_of(Limit::header_bytes)));
  file.read_at(0, start);
  ByteReader reader(start, file.path());
  reader.take(kLegacyMagic.size());
  const Pickle protocol(reader, {});
  if (protocol.root().kind != PickleKind::integer || protocol.root().integer != kLegacyProtocol)
    reader.fail("a version of PyTorch's format that markeval does not know");
  const Pickle machine(reader, {});
  const auto& properties = machine.root().items;
  for (std::size_t index = 0; index + 1 < properties.size(); index += 2) {
    const PickleValue& value = machine[properties[index + 1]];
    if (machine[properties[index]].text == "little_endian" && value.kind == PickleKind::flag &&
        value.integer == 0)
      throw_invalid(file.path() + ": its numbers are big endian, markeval reads little endian only");
  }
  TensorPickle tensors(reader, file.path());
  const Pickle keys(reader, {});
  std::uint64_t at = reader.position();
  for (const std::uint32_t index : keys.root().items) {
    const auto found = tensors.storages().find(keys[index].text);
    if (found == tensors.storages().end()) reader.fail("a storage that no tensor has");
    TorchStorage& storage = found->second;
    if (storage.found) reader.fail(fmt::format("storage {} comes twice", in_quotes(found->first)));
    std::array<std::byte, 8> count_bytes{};
    if (file.size() - at < count_bytes.size()) reader.fail("it ends before its last storage");
    file.read_at(at, count_bytes);
    const std::uint64_t count = ByteReader(count_bytes, file.path()).number<8>();
    at += count_bytes.size();
    if (count > (file.size() - at) / *element_bytes(storage.dtype))
      reader.fail("it ends before its last storage");
    storage.begin = static_cast<std::size_t>(at);
    storage.bytes = static_cast<std::size_t>(count) * *element_bytes(storage.dtype);
    storage.found = true;
    at += storage.bytes;
  }
  return {file, 0, tensors.tensors()};
}

}  // namespace

TensorFile read_torch_file(const OpenFile& file) {
  std::string start(std::min(file.size(), kLegacyMagic.size()), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(start)));
  if (start.starts_with(kZipMagic)) return read_archive(file);
  if (start == kLegacyMagic) return read_legacy(file);
  throw_invalid(file.path() +
                ": no file of PyTorch: it begins neither as a zip archive nor as a pickle of "
                "torch.save()");
}

}  // namespace markeval::encoder
