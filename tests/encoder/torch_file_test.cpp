// Files of torch.save() that are small, odd or hostile. Real ones are among the models of encoder_test.
#include "encoder/torch_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "encoder/torch_bytes.hpp"
#include "support/temp_folder.hpp"

namespace markeval::encoder {
namespace {

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

const std::string kSix = floats({0, 1, 2, 3, 4, 5});

class TorchFile : public ::testing::Test {
 protected:
  TensorFile open(const std::string& content) {
    return read_torch_file(OpenFile(folder_.write("pytorch_model.bin", content)));
  }
  std::vector<float> read(const TensorFile& file, const std::string& name, std::size_t first = 0) {
    const Tensor* const tensor = file.find(name);
    if (tensor == nullptr) return {};
    std::vector<float> values(tensor->elements() - first);
    file.read(*tensor, first, values);
    return values;
  }
  /// Of six floats from 0 to 5, the tensor with this offset, shape and strides.
  std::string of_six(std::int32_t offset, const std::vector<std::int32_t>& shape,
                     const std::vector<std::int32_t>& strides) {
    const std::string tensor = pickled_tensor(pickled_storage("7", 6), offset, shape, strides);
    return legacy_file(pickled_dictionary("t", tensor), {{"7", {6, kSix}}});
  }

  TempFolder folder_;
};

TEST_F(TorchFile, ReadsTheOlderForm) {
  const TensorFile file = open(of_six(0, {2, 3}, {3, 1}));
  EXPECT_EQ(file.find("t")->shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(file.find("t")->dtype, "F32");
  EXPECT_EQ(read(file, "t"), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST_F(TorchFile, ReadsAnArchive) {
  const std::string tensor = pickled_tensor(pickled_storage("0", 6), 2, {4}, {1});
  const TensorFile file = open(zip_file(
      {{"a/data.pkl", pickled_dictionary("t", tensor)}, {"a/byteorder", "little"}, {"a/data/0", kSix}}));
  EXPECT_EQ(read(file, "t"), (std::vector<float>{2, 3, 4, 5}));
}

TEST_F(TorchFile, FollowsStridesAndOffsets) {
  const TensorFile transposed = open(of_six(0, {3, 2}, {1, 3}));
  EXPECT_EQ(read(transposed, "t"), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(read(transposed, "t", 3), (std::vector<float>{4, 2, 5}));
  EXPECT_EQ(read(open(of_six(1, {2}, {3})), "t"), (std::vector<float>{1, 4}));
  EXPECT_EQ(read(open(of_six(5, {1, 1}, {100, 100})), "t"), (std::vector<float>{5}));
  EXPECT_EQ(read(open(of_six(0, {}, {})), "t"), (std::vector<float>{0}));
  EXPECT_EQ(open(of_six(0, {0, 4}, {4, 1})).find("t")->elements(), 0u);
}

TEST_F(TorchFile, TensorsShareAStorageAndMayBeParameters) {
  const std::string storage = pickled_storage("7", 6);
  const std::string parameter = "ctorch._utils\n_rebuild_parameter\n(" +
                                pickled_tensor(storage, 4, {2}, {1}) + "\x88" +
                                "ccollections\nOrderedDict\n)RtR";
  const TensorFile file =
      open(legacy_file("\x80\x02}(" + pickled("a") + pickled_tensor(storage, 0, {3}, {2}) + pickled("b") +
                           parameter + pickled("step") + pickled(3) + "u.",
                       {{"7", {6, kSix}}}));
  EXPECT_EQ(read(file, "a"), (std::vector<float>{0, 2, 4}));
  EXPECT_EQ(read(file, "b"), (std::vector<float>{4, 5}));
  EXPECT_EQ(file.find("step"), nullptr);
}

TEST_F(TorchFile, OldPythonsOrderedDictIsADictionary) {
  const std::string pair = "](" + pickled("t") + pickled_tensor(pickled_storage("7", 6), 0, {6}, {1}) + "e";
  const TensorFile file =
      open(legacy_file("\x80\x02"
                       "ccollections\nOrderedDict\n](" +
                           pair + "e\x85R.",
                       {{"7", {6, kSix}}}));
  EXPECT_EQ(read(file, "t").size(), 6u);
}

TEST_F(TorchFile, AListCopiedAgainAndAgainIsRefused) {
  std::string pickle = "\x80\x02]q" + std::string(1, '\0') + "(" + std::string(1000, 'N') + "e";
  for (int copy = 0; copy < 9000; ++copy) pickle += "h" + std::string(1, '\0') + "Q";
  EXPECT_ERROR(open(legacy_file(pickle + ".", {})), ErrorCode::invalid_input,
               "lists of more than 8000000 items together");
}

TEST_F(TorchFile, WhatWouldExecuteSomethingIsNamedAndNothingIsRun) {
  const std::string mark = folder_.file("was here");
  const std::string system =
      "\x80\x02"
      "cos\nsystem\n" +
      pickled("touch '" + mark + "'") + "\x85R.";
  for (const std::string& content : {legacy_file(system), zip_file({{"a/data.pkl", system}})}) {
    EXPECT_ERROR(open(content), ErrorCode::invalid_input,
                 "pytorch_model.bin: loading it with Python would execute 'os.system'; markeval reads "
                 "tensors only");
  }
  EXPECT_FALSE(std::filesystem::exists(mark));
}

struct HostilePickle {
  const char* name;
  std::string pickle;
  std::string message;
};

class TorchFileThatLies : public ::testing::TestWithParam<HostilePickle> {};

TEST_P(TorchFileThatLies, IsRefusedWithTheReason) {
  const TempFolder folder;
  const std::string path =
      folder.write("pytorch_model.bin", legacy_file(GetParam().pickle, {{"7", {6, kSix}}}));
  EXPECT_ERROR(read_torch_file(OpenFile(path)), ErrorCode::invalid_input, GetParam().message);
  EXPECT_ERROR(read_torch_file(OpenFile(path)), ErrorCode::invalid_input, path);
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  for (std::size_t index = 0; index < count; ++index) result += text;
  return result;
}

// Twenty lists, each of ten times the one before: 10^20 items for whoever follows them all.
std::string memo_bomb() {
  std::string text = "]q" + std::string(1, '\0');
  for (char level = 1; level < 20; ++level)
    text += "](" + repeated(std::string("h") + static_cast<char>(level - 1), 10) + "eq" + level;
  return text + ".";
}

std::string with_tensor(const std::string& storage, std::int32_t offset,
                        const std::vector<std::int32_t>& shape, const std::vector<std::int32_t>& strides) {
  return pickled_dictionary("t", pickled_tensor(storage, offset, shape, strides));
}

const std::string kStorage = pickled_storage("7", 6);

INSTANTIATE_TEST_SUITE_P(
    Each, TorchFileThatLies,
    ::testing::Values(
        HostilePickle{"Eval",
                      "\x80\x04" + pickled("builtins") + pickled("eval") + "\x93" + pickled("1") + "\x85R.",
                      "would execute 'builtins.eval'"},
        HostilePickle{"EvalInsideATensor",
                      pickled_dictionary("t", "c__builtin__\neval\n" + pickled("1") + "\x85R"),
                      "would execute '__builtin__.eval'"},
        HostilePickle{"Instance", "(ios\nsystem\n.", "would execute 'os.system'"},
        HostilePickle{"InstanceOfATensor", "(itorch\nSize\n.", "opcode 0x69 at byte "},
        HostilePickle{"NewObject", "ccollections\nOrderedDict\n)\x81.", "opcode 0x81 at byte "},
        HostilePickle{"Extension", std::string("\x82\x01."), "opcode 0x82 at byte "},
        HostilePickle{"NameWithControlCharacters", "cos\x1b[31m\nsystem\n.",
                      "would execute 'os\\x1b[31m.system'"},
        HostilePickle{"StorageFromBytes", "ctorch.storage\n_load_from_bytes\n.",
                      "would execute 'torch.storage._load_from_bytes'"},
        HostilePickle{"CallsNoFunction", pickled("os.system") + pickled("ls") + "\x85R.",
                      "calls what is no function"},
        HostilePickle{"NoDictionary", "].", "no dictionary of tensors"},
        HostilePickle{"NoTensors", pickled_dictionary("a", pickled(1)), "it holds no tensors"},
        HostilePickle{"MemoBomb", memo_bomb(), "no dictionary of tensors"},
        HostilePickle{"DeepTuples", ")" + repeated("\x85", 500'000) + ".", "no dictionary of tensors"},
        HostilePickle{"DeepMarks", repeated("(", 500'000) + repeated("t", 500'000) + ".",
                      "no dictionary of tensors"},
        HostilePickle{"ManyValues", repeated("N", 1'000'001) + ".", "1000001 values, more than 1000000"},
        HostilePickle{"TextBeyondTheFile",
                      "X\xff\xff\xff\xff"
                      "abc.",
                      "in the middle of something"},
        HostilePickle{"NewestProtocol", "\x80\x09.", "pickle protocol 9, expected at most 5"},
        HostilePickle{"TakesFromNothing", "\x85.", "takes a value that is not there"},
        HostilePickle{"TakesBelowTheMark", "N(\x85.", "takes a value that is not there"},
        HostilePickle{"NoMark", "t.", "takes a mark that is not there"},
        HostilePickle{"ForgottenMemo", "h\x05.", "recalls a value it has not kept"},
        HostilePickle{"ItemOfANumber", "K\x01NNs.", "an entry is added to a value of another kind"},
        HostilePickle{"LongNumber",
                      "\x8a\x09"
                      "123456789.",
                      "a whole number of 9 bytes"},
        HostilePickle{"ShapeBeyondTheStorage", with_tensor(kStorage, 0, {7}, {1}),
                      "tensor 't' of shape [7] is larger than its storage of 6 elements"},
        HostilePickle{"OffsetBeyondTheStorage", with_tensor(kStorage, 4, {3}, {1}),
                      "larger than its storage"},
        HostilePickle{"StridesBeyondTheStorage", with_tensor(kStorage, 0, {2, 2}, {5, 1}),
                      "larger than its storage"},
        HostilePickle{"OneElementAMillionTimes", with_tensor(kStorage, 0, {1'000'000}, {0}),
                      "larger than its storage"},
        HostilePickle{"OverflowingShape",
                      with_tensor(kStorage, 0, {0x7fffffff, 0x7fffffff, 0x7fffffff}, {1, 1, 1}),
                      "larger than its storage"},
        HostilePickle{"NegativeShape", with_tensor(kStorage, 0, {-1}, {1}),
                      "shape: expected a whole number >= 0"},
        HostilePickle{"ShapeAndStridesDiffer", with_tensor(kStorage, 0, {2, 3}, {1}),
                      "has 2 extents and 1 strides"},
        HostilePickle{"StorageLargerThanItsBytes", with_tensor(pickled_storage("7", 8), 0, {8}, {1}),
                      "storage '7' has 24 bytes, but 8 elements of F32 need more"},
        HostilePickle{"StorageOfAnotherName", with_tensor(pickled_storage("8", 6), 0, {6}, {1}),
                      "a storage that no tensor has"},
        HostilePickle{"StorageOfNoType", with_tensor(pickled_storage("7", 6, "Size"), 0, {6}, {1}),
                      "'torch.Size' is no type of a storage"},
        HostilePickle{"NoStorage", with_tensor(pickled(3), 0, {6}, {1}), "a tensor without a storage"}),
    [](const auto& lie) { return lie.param.name; });

TEST_F(TorchFile, FilesOfAnotherKindAreRefused) {
  EXPECT_ERROR(open("abc"), ErrorCode::invalid_input, "no file of PyTorch");
  EXPECT_ERROR(open(""), ErrorCode::invalid_input, "no file of PyTorch");
  EXPECT_ERROR(open(zip_file({{"a/other", "x"}})), ErrorCode::invalid_input, "without data.pkl");
}

TEST_F(TorchFile, DamagedArchivesAreRefused) {
  const std::string pickle = with_tensor(pickled_storage("0", 6), 0, {6}, {1});
  const std::string whole = zip_file({{"a/data.pkl", pickle}, {"a/data/0", kSix}});
  EXPECT_ERROR(open(whole.substr(0, whole.size() - 1)), ErrorCode::invalid_input, "as if it were cut off");
  EXPECT_ERROR(open(zip_file({{"a/data.pkl", pickle}})), ErrorCode::invalid_input,
               "the numbers of tensor 't', storage '0', are not in the file");
  EXPECT_ERROR(open(zip_file({{"a/data.pkl", pickle}, {"a/data/0", "short"}})), ErrorCode::invalid_input,
               "storage '0' has 5 bytes");
  EXPECT_ERROR(open(zip_file({{"a/data.pkl", pickle}}, 8)), ErrorCode::invalid_input,
               "'a/data.pkl' is compressed or encrypted");
  EXPECT_ERROR(open(zip_file({{"a/data.pkl", pickle}, {"a/byteorder", "big"}})), ErrorCode::invalid_input,
               "big endian");
  std::string far = whole;  // where the directory begins, in the record at the end
  far[far.size() - 6] = '\x7f';
  far[far.size() - 3] = '\x7f';
  EXPECT_ERROR(open(far), ErrorCode::invalid_input, "lies outside the file");
}

TEST_F(TorchFile, AFlippedBitIsFoundByTheChecksums) {
  const std::string pickle = with_tensor(pickled_storage("0", 6), 0, {6}, {1});
  std::string whole = zip_file({{"a/data.pkl", pickle}, {"a/data/0", kSix}}, 0, true);
  EXPECT_NO_THROW(open(whole));
  char& byte = whole[whole.find(kSix) + 7];
  byte = static_cast<char>(byte ^ 4);
  EXPECT_ERROR(open(whole), ErrorCode::invalid_input, "damaged: the checksum of 'a/data/0' is wrong");
}

TEST_F(TorchFile, ANameThatComesTwiceIsRefused) {
  const std::string pickle = with_tensor(pickled_storage("0", 6), 0, {6}, {1});
  EXPECT_ERROR(open(zip_file({{"a/data.pkl", pickle}, {"a/data/0", kSix}, {"a/data/0", kSix}})),
               ErrorCode::invalid_input, "'a/data/0' is in the archive twice");
  const std::string tensor = pickled_tensor(pickled_storage("0", 6), 0, {6}, {1});
  const std::string twice = "\x80\x02}" + pickled("t") + tensor + "s" + pickled("t") + tensor + "s.";
  EXPECT_ERROR(open(zip_file({{"a/data.pkl", twice}, {"a/data/0", kSix}})), ErrorCode::invalid_input,
               "tensor 't' comes twice");
}

TEST_F(TorchFile, APickleMayNotKeepValuesWithoutEnd) {
  const std::string endless = "\x80\x02N" + std::string(2'000'000, '\x94') + ".";
  EXPECT_ERROR(
      open(legacy_file(endless, {})), ErrorCode::invalid_input,
      "a pickle with 1000001 kept values, more than 1000000 (MARKEVAL_MAX_PICKLE_VALUES sets this limit)");
  const std::string marks = "\x80\x02" + std::string(2'000'000, '(') + ".";
  EXPECT_ERROR(open(legacy_file(marks, {})), ErrorCode::invalid_input, "a pickle with 1000001 marks");
}

TEST_F(TorchFile, OlderFormCutOffIsRefused) {
  const std::string whole = of_six(0, {6}, {1});
  for (std::size_t bytes = 15; bytes < whole.size(); ++bytes)
    EXPECT_ERROR(open(whole.substr(0, bytes)), ErrorCode::invalid_input, "damaged");
}

}  // namespace
}  // namespace markeval::encoder
