// Checkpoints of TensorFlow that are small, odd or damaged. A real one is among the models of encoder_test.
#include "encoder/checkpoint.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "encoder/crc32c.hpp"
#include "encoder/model_folder.hpp"
#include "encoder/sorted_table.hpp"
#include "encoder/weight_files.hpp"
#include "support/temp_folder.hpp"

namespace markeval::encoder {
namespace {

std::string fixed(std::uint64_t value, int bytes) {
  std::string result;
  for (int byte = 0; byte < bytes; ++byte) result += static_cast<char>(value >> (8 * byte) & 0xff);
  return result;
}

std::string varint(std::uint64_t value) {
  std::string result;
  for (; value >= 0x80; value >>= 7) result += static_cast<char>(0x80 | (value & 0x7f));
  return result + static_cast<char>(value);
}

std::uint32_t masked_checksum(const std::string& bytes) {
  Crc32c checksum;
  checksum.add(std::as_bytes(std::span(bytes)));
  return checksum.masked();
}

std::string number_field(std::uint64_t field, std::uint64_t value) {
  return varint(field << 3) + varint(value);
}
std::string bytes_field(std::uint64_t field, const std::string& value) {
  return varint(field << 3 | 2) + varint(value.size()) + value;
}

/// What the test changes about one tensor.
struct Variable {
  std::string name = "bert/pooler/dense/kernel";
  std::uint64_t type = 1;
  std::vector<std::uint64_t> shape{2, 3};
  std::uint64_t shard = 0, offset = 0, bytes = 24;
  std::uint32_t checksum = 0;
  std::string more = {};

  std::string entry() const {
    std::string extents;
    for (const std::uint64_t extent : shape) extents += bytes_field(2, number_field(1, extent));
    return number_field(1, type) + bytes_field(2, extents) + number_field(3, shard) +
           number_field(4, offset) + number_field(5, bytes) + varint(6 << 3 | 5) + fixed(checksum, 4) + more;
  }
};

std::string block(const std::string& entries, char type = 0) {
  const std::string content = entries + fixed(0, 4) + fixed(1, 4) + type;
  return content + fixed(masked_checksum(content), 4);
}

std::string entry(const std::string& key, const std::string& value, std::uint64_t shared = 0) {
  return varint(shared) + varint(key.size()) + varint(value.size()) + key + value;
}

/// One block of entries, the index that points at it, the footer.
std::string table(const std::string& entries, char type = 0) {
  const std::string data = block(entries, type);
  const std::string index = block(entry("z", varint(0) + varint(data.size() - 5)));
  std::string footer = varint(0) + varint(0) + varint(data.size()) + varint(index.size() - 5);
  footer.resize(40, '\0');
  return data + index + footer + fixed(0xdb4775248b80fb57, 8);
}

class Checkpoint : public ::testing::Test {
 protected:
  Checkpoint() {
    for (const float value : {0.f, 1.f, 2.f, 3.f, 4.f, 5.f})
      data_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::vector<TensorFile> open(const std::string& index) {
    folder_.write("bert_model.ckpt.data-00000-of-00001", data_);
    folder_.write("bert_model.ckpt.index", index);
    return read_tensor_files(open_weights(folder_.path()));
  }
  std::vector<TensorFile> open(Variable variable) {
    if (variable.checksum == 0) variable.checksum = masked_checksum(data_);
    return open(table(entry("", number_field(1, 1)) + entry(variable.name, variable.entry())));
  }

  TempFolder folder_;
  std::string data_;
};

TEST(Crc32cOf, TheCustomaryTextIsTheCustomaryNumber) {
  Crc32c checksum;
  checksum.add(std::as_bytes(std::span("123456789", 9)));
  EXPECT_EQ(checksum.value(), 0xE3069283u);
  Crc32c in_parts;
  in_parts.add(std::as_bytes(std::span("12345", 5)));
  in_parts.add(std::as_bytes(std::span("6789", 4)));
  EXPECT_EQ(in_parts.value(), checksum.value());
}

TEST(VariableNames, BecomeThoseOfPytorch) {
  EXPECT_EQ(name_of_variable("bert/embeddings/word_embeddings"), "bert.embeddings.word_embeddings.weight");
  EXPECT_EQ(name_of_variable("bert/embeddings/LayerNorm/beta"), "bert.embeddings.LayerNorm.bias");
  EXPECT_EQ(name_of_variable("bert/encoder/layer_11/attention/output/LayerNorm/gamma"),
            "bert.encoder.layer.11.attention.output.LayerNorm.weight");
  EXPECT_EQ(name_of_variable("bert/encoder/layer_0/attention/self/query/kernel"),
            "bert.encoder.layer.0.attention.self.query.weight");
  EXPECT_EQ(name_of_variable("bert/encoder/layer_0/output/dense/bias"),
            "bert.encoder.layer.0.output.dense.bias");
  EXPECT_EQ(name_of_variable("bert/encoder/layer_0/output/dense/bias/adam_m"), "");
  EXPECT_EQ(name_of_variable("cls/predictions/output_bias"), "");
}

TEST_F(Checkpoint, KernelsAreTransposed) {
  const auto files = open(Variable{});
  const Tensor* const tensor = files.front().find("bert.pooler.dense.weight");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->shape, (std::vector<std::size_t>{3, 2}));
  std::vector<float> values(6);
  files.front().read(*tensor, 0, values);
  EXPECT_EQ(values, (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST_F(Checkpoint, TablesAreNot) {
  const auto files = open(Variable{.name = "bert/embeddings/word_embeddings"});
  EXPECT_TRUE(files.front().find("bert.embeddings.word_embeddings.weight")->is_contiguous());
}

TEST_F(Checkpoint, DamagedTensorsAreNamed) {
  EXPECT_ERROR(open(Variable{.checksum = 5}), ErrorCode::invalid_input,
               "the checksum of 'bert/pooler/dense/kernel' is wrong");
  EXPECT_ERROR(open(Variable{.shape = {2, 4}}), ErrorCode::invalid_input,
               "has 24 bytes, but F32 [2, 4] needs 32");
  EXPECT_ERROR(open(Variable{.shape = {std::uint64_t{1} << 62, 16}}), ErrorCode::invalid_input,
               "is too large");
  EXPECT_ERROR(open(Variable{.offset = 4}), ErrorCode::invalid_input, "lies outside the file of 24 bytes");
  EXPECT_ERROR(open(Variable{.type = 7}), ErrorCode::invalid_input, "is of type 7");
  EXPECT_ERROR(open(Variable{.shard = 3}), ErrorCode::invalid_input, "is in data file 3 of 1");
  EXPECT_ERROR(open(Variable{.more = bytes_field(7, "")}), ErrorCode::invalid_input, "spread over several");
  EXPECT_ERROR(open(Variable{.more = "\x0f"}), ErrorCode::invalid_input, "than protocol buffers");
}

TEST_F(Checkpoint, WithoutABertIsRefused) {
  EXPECT_ERROR(open(Variable{.name = "resnet/kernel"}), ErrorCode::invalid_input,
               "no BERT: expected variables");
}

TEST_F(Checkpoint, DamagedIndexesAreRefused) {
  const std::string whole = table(entry("", number_field(1, 1)));
  EXPECT_ERROR(open("short"), ErrorCode::invalid_input, "5 bytes, expected at least 48");
  EXPECT_ERROR(open(whole.substr(0, whole.size() - 1) + "x"), ErrorCode::invalid_input, "its last bytes");
  std::string turned = whole;
  turned[1] ^= 1;
  EXPECT_ERROR(open(turned), ErrorCode::invalid_input, "the checksum of a block is wrong");
  EXPECT_ERROR(open(table("", 1)), ErrorCode::invalid_input, "a block is compressed");
  EXPECT_ERROR(open(table(entry("a", "", 9))), ErrorCode::invalid_input,
               "a key begins as one that is shorter");
  EXPECT_ERROR(open(table(entry(std::string(5000, 'k'), ""))), ErrorCode::invalid_input,
               "more than 4096 bytes");
  EXPECT_ERROR(open(table(entry("", number_field(1, 5000)))), ErrorCode::invalid_input, "5000 data files");
  EXPECT_ERROR(open(table(entry("", number_field(1, 0)))), ErrorCode::invalid_input, "no data file");
  EXPECT_ERROR(open(table(entry("", number_field(2, 1)))), ErrorCode::invalid_input, "big endian");
  EXPECT_ERROR(open(table(entry("", number_field(1, 2)))), ErrorCode::io,
               "bert_model.ckpt.data-00000-of-00002");
}

TEST_F(Checkpoint, KeysThatShareTheirBeginningsDoNotFillTheMemory) {
  std::string entries = entry(std::string(4096, 'k'), "");
  for (int index = 0; index < 100'000; ++index) entries += entry("", "", 4096);
  EXPECT_ERROR(open(table(entries)), ErrorCode::invalid_input, "keys that share too much");
}

TEST_F(Checkpoint, IndexOfTensorflowWithAnyByteChangedIsReadOrRefused) {
  std::ifstream file(model_folder("bert_checkpoint") + "/bert_model.ckpt.index", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(whole.size(), 48u);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    try {
      read_sorted_table(std::as_bytes(std::span(changed)), "index");
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, whole.size() * 9 / 10);
}

}  // namespace
}  // namespace markeval::encoder
