#include "encoder/safetensors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "encoder/model_folder.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval::encoder {
namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string result;
  for (const int value : values) result += static_cast<char>(value);
  return result;
}

TEST(Safetensors, ReadsShapeTypeAndData) {
  const TempFolder folder;
  const std::string header =
      R"({"__metadata__": {"format": "pt"}, "b": {"dtype": "I8", "shape": [], "data_offsets": [8, 9]},
    "a": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}})";
  const SafetensorsFile file(folder.write("m", safetensors(header, bytes({0, 0, 128, 63, 0, 0, 0, 192, 7}))));
  ASSERT_EQ(file.tensors().size(), 2u);
  const Tensor& a = *file.find("a");
  EXPECT_EQ(a.dtype, "F32");
  EXPECT_EQ(a.shape, (std::vector<std::size_t>{1, 2}));
  float values[2];
  file.read(a, 0, values);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -2.0f);
  EXPECT_EQ(file.find("b")->elements(), 1u);
  EXPECT_EQ(file.find("c"), nullptr);
}

TEST(Safetensors, WidensHalfAndBrainFloatsExactly) {
  const TempFolder folder;
  // F16: 1, -2, the smallest subnormal 2^-24, infinity, the largest 65504, -0. BF16: 1, -2, 2^-133
  // (subnormal).
  const std::string header = R"({"h": {"dtype": "F16", "shape": [6], "data_offsets": [0, 12]},
    "b": {"dtype": "BF16", "shape": [3], "data_offsets": [12, 18]}})";
  const std::string data = bytes({0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0x00, 0x7c, 0xff, 0x7b, 0x00, 0x80,  //
                                  0x80, 0x3f, 0x00, 0xc0, 0x01, 0x00});
  const SafetensorsFile file(folder.write("m", safetensors(header, data)));
  float half[6], brain[3], last[1];
  file.read(*file.find("h"), 0, half);
  file.read(*file.find("b"), 0, brain);
  file.read(*file.find("h"), 4, last);
  EXPECT_EQ(half[0], 1.0f);
  EXPECT_EQ(half[1], -2.0f);
  EXPECT_EQ(half[2], 0x1.0p-24f);
  EXPECT_EQ(half[3], std::numeric_limits<float>::infinity());
  EXPECT_EQ(half[4], 65504.0f);
  EXPECT_TRUE(half[5] == 0 && std::signbit(half[5]));
  EXPECT_EQ(last[0], 65504.0f);
  EXPECT_EQ(brain[0], 1.0f);
  EXPECT_EQ(brain[1], -2.0f);
  EXPECT_EQ(brain[2], 0x1.0p-133f);
}

struct Lie {
  const char* name;
  std::string content;
  std::string message;
};

class SafetensorsThatLies : public ::testing::TestWithParam<Lie> {};

TEST_P(SafetensorsThatLies, IsRefusedWithTheReason) {
  const TempFolder folder;
  const std::string path = folder.write("model.safetensors", GetParam().content);
  EXPECT_ERROR(SafetensorsFile{path}, ErrorCode::invalid_input, GetParam().message);
  EXPECT_ERROR(SafetensorsFile{path}, ErrorCode::invalid_input, path);
}

std::string with_entry(const std::string& entry, std::size_t data = 8) {
  return safetensors("{\"t\": " + entry + "}", std::string(data, 'x'));
}

INSTANTIATE_TEST_SUITE_P(
    Each, SafetensorsThatLies,
    ::testing::Values(
        Lie{"TooShort", "abc", "3 bytes, expected at least 8"},
        Lie{"HeaderBeyondFile", std::string("\xff\0\0\0\0\0\0\0{}", 10),
            "the header claims 255 bytes, the file has 2 left"},
        Lie{"HugeHeader", std::string(7, '\xff') + '\x7f' + "{}", "the file has 2 left"},
        Lie{"NoJson", safetensors("{\"a\": ", ""), "the header: not JSON: "},
        Lie{"NoObject", safetensors("[1]", ""), "the header: a list, expected a JSON object"},
        Lie{"InvalidUtf8", safetensors("{\"\xff\": 1}", ""), "the header: not JSON: "},
        Lie{"DeepHeader", safetensors("{\"a\": " + std::string(200000, '['), ""),
            "101 levels of JSON, more than 100"},
        Lie{"EntryNoObject", with_entry("3"), "tensor 't': expected an object"},
        Lie{"NoShape", with_entry(R"({"dtype": "F32", "data_offsets": [0, 8]})"),
            "tensor 't' has no 'shape'"},
        Lie{"DtypeNoString", with_entry(R"({"dtype": 1, "shape": [2], "data_offsets": [0, 8]})"),
            "dtype is no string"},
        Lie{"UnknownDtype", with_entry(R"({"dtype": "F33", "shape": [2], "data_offsets": [0, 8]})"),
            "unknown dtype 'F33'"},
        Lie{"NegativeShape", with_entry(R"({"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]})"),
            "shape holds -2"},
        Lie{"FractionalShape", with_entry(R"({"dtype": "F32", "shape": [1.5], "data_offsets": [0, 8]})"),
            "shape holds 1.5"},
        Lie{"ShapeNoList", with_entry(R"({"dtype": "F32", "shape": 2, "data_offsets": [0, 8]})"),
            "shape is no list"},
        Lie{"OverflowingShape",
            with_entry(R"({"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 8]})"),
            "is too large"},
        Lie{"OffsetsNoPair", with_entry(R"({"dtype": "F32", "shape": [2], "data_offsets": [0]})"),
            "no list of two"},
        Lie{"OffsetsBackwards", with_entry(R"({"dtype": "F32", "shape": [2], "data_offsets": [8, 0]})"),
            "lies outside"},
        Lie{"BeyondData", with_entry(R"({"dtype": "F32", "shape": [4], "data_offsets": [0, 16]})"),
            "data [0, 16) lies outside the 8 bytes of data"},
        Lie{"WrongSize", with_entry(R"({"dtype": "F32", "shape": [3], "data_offsets": [0, 8]})"),
            "8 bytes of data, but F32 [3] needs 12"},
        Lie{"Trailing", with_entry(R"({"dtype": "F32", "shape": [2], "data_offsets": [0, 8]})", 11),
            "3 bytes after 't' belong to no tensor"},
        Lie{"Overlapping",
            safetensors(R"({"a": {"dtype": "U8", "shape": [5], "data_offsets": [0, 5]},
                            "b": {"dtype": "U8", "shape": [4], "data_offsets": [4, 8]}})",
                        "12345678"),
            "tensors 'a' and 'b' overlap"},
        Lie{"Hole",
            safetensors(R"({"a": {"dtype": "U8", "shape": [3], "data_offsets": [0, 3]},
                            "b": {"dtype": "U8", "shape": [4], "data_offsets": [4, 8]}})",
                        "12345678"),
            "1 bytes between 'a' and 'b' belong to no tensor"}),
    [](const auto& lie) { return lie.param.name; });

TEST(Safetensors, WritesWhatItReads) {
  const TempFolder folder;
  const std::vector<float> a{1, -2, 0x1.0p-149f}, b{3};
  const std::vector<NamedTensor> tensors{{"a", {3}, a}, {"b", {1, 1}, b}};
  write_safetensors(folder.file("m"), tensors, {{"plan", "text \u00E9"}});
  const SafetensorsFile file(folder.file("m"));
  file.require_checksum();
  EXPECT_EQ(file.metadata().at("plan"), "text \u00E9");
  std::vector<float> read(3);
  file.read(*file.find("a"), 0, read);
  EXPECT_EQ(read, a);
  EXPECT_EQ(file.find("b")->shape, (std::vector<std::size_t>{1, 1}));
}

TEST(Safetensors, ChecksumTellsDamage) {
  const TempFolder folder;
  const std::vector<float> values{1, 2};
  const std::vector<NamedTensor> tensors{{"a", {2}, values}};
  write_safetensors(folder.file("m"), tensors, {});
  std::fstream(folder.file("m"), std::ios::in | std::ios::out | std::ios::binary)
      .seekp(-1, std::ios::end)
      .put('x');
  EXPECT_ERROR(SafetensorsFile(folder.file("m")).require_checksum(), ErrorCode::invalid_input,
               "its checksum is wrong");
  const std::string foreign = folder.write("f", safetensors("{}", ""));
  EXPECT_ERROR(SafetensorsFile(foreign).require_checksum(), ErrorCode::invalid_input, "it has no checksum");
}

TEST(Safetensors, AHeaderOfVeryManyTensorsIsRefusedBeforeItIsBuilt) {
  // 520,000 empty tensors took 9 seconds.
  const TempFolder folder;
  std::string header = "{";
  for (int i = 0; i < 520'000; ++i)
    header += (i == 0 ? "\"t" : ", \"t") + std::to_string(i) +
              R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  EXPECT_ERROR(SafetensorsFile(folder.write("m", safetensors(header + "}", ""))), ErrorCode::invalid_input,
               "2080000 keys of JSON, expected at most 410000");
  const EnvironmentVariable few("MARKEVAL_MAX_TENSORS", "1");
  const std::string two = R"({"a": {"dtype": "I8", "shape": [0], "data_offsets": [0, 0]},
    "b": {"dtype": "I8", "shape": [0], "data_offsets": [0, 0]}})";
  EXPECT_ERROR(SafetensorsFile(folder.write("m", safetensors(two, ""))), ErrorCode::invalid_input,
               "2 tensors, more than 1 (MARKEVAL_MAX_TENSORS sets this limit)");
}

TEST(Safetensors, MissingFileIsNamed) {
  EXPECT_ERROR(SafetensorsFile{"/nowhere/model.safetensors"}, ErrorCode::io, "/nowhere/model.safetensors");
}

}  // namespace
}  // namespace markeval::encoder
