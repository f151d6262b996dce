#include "vectors/npy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "support/gzip.hpp"
#include "support/temp_folder.hpp"

namespace markeval::vectors {
namespace {

// What numpy.save would write for this header text and these data.
std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::string header = dictionary;
  header.append((64 - (prefix + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string file("\x93NUMPY", 6);
  file += version;
  file += '\0';
  for (std::size_t byte = 0; byte < prefix - 8; ++byte)
    file += static_cast<char>(header.size() >> (8 * byte) & 0xff);
  return file + header + data;
}

std::string dictionary(const std::string& type, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

template <typename T>
std::string bytes(const std::vector<T>& values, bool big_endian = false) {
  std::string result;
  for (const T value : values) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if (big_endian) std::reverse(raw, raw + sizeof(T));
    result.append(raw, sizeof(T));
  }
  return result;
}

template <typename T>
std::vector<T> values_of(const Vectors& vectors) {
  const auto& view = std::get<MatrixView<const T>>(vectors.view());
  std::vector<T> values;
  for (std::size_t row = 0; row < view.rows(); ++row)
    values.insert(values.end(), view.row(row).begin(), view.row(row).end());
  return values;
}

class Npy : public ::testing::Test {
 protected:
  Vectors read(const std::string& file, const char* name = "a.npy") {
    return read_npy(folder_.write(name, file));
  }
  void expect_error(const std::string& file, const std::string& part) {
    EXPECT_ERROR(read(file), ErrorCode::invalid_input, part);
    EXPECT_ERROR(read(file), ErrorCode::invalid_input, "a.npy: ");
  }
  TempFolder folder_;
  const std::vector<float> six_{1, 2, 3, 4, 5, -6.5f};
};

TEST_F(Npy, ReadsWhatItWrites) {
  NpyWriter writer(folder_.file("b.npy"), {3});
  writer.write(six_);
  writer.commit();
  const Vectors vectors = read_npy(folder_.file("b.npy"));
  EXPECT_EQ(vectors.rows(), 2u);
  EXPECT_EQ(vectors.columns(), 3u);
  EXPECT_EQ(values_of<float>(vectors), six_);
  EXPECT_EQ(vectors.name(), folder_.file("b.npy"));
}

TEST_F(Npy, ReadsLayersWhereTheyAreAskedFor) {
  const std::string file = npy(dictionary("<f4", "(1, 3, 2)"), bytes(six_));
  const Vectors layered = read_npy(folder_.write("l.npy", file), NpyShape::layered);
  EXPECT_EQ(layered.layers(), 3u);
  EXPECT_EQ(layered.rows(), 1u);
  EXPECT_EQ(layered.columns(), 6u);
  EXPECT_EQ(values_of<float>(layered), six_);
  expect_error(file, "a 3-D array of 1 x 3 x 2, expected 2-D");
  const auto fails = [&](const std::string& shape, bool fortran, const char* part) {
    const std::string path = folder_.write("l.npy", npy(dictionary("<f4", shape, fortran), bytes(six_)));
    EXPECT_ERROR(read_npy(path, NpyShape::layered), ErrorCode::invalid_input, part);
  };
  fails("(1, 3, 2)", true, "a 3-D array in Fortran order, expected C order");
  fails("(1, 1, 3, 2)", false, "a 4-D array of 1 x 1 x 3 x 2, expected rows x layers x width");
  fails("(1, 0, 2)", false, "expected rows x layers x width");
  fails("(1, 4294967296, 4294967296)", false, "expected rows x layers x width");
}

TEST_F(Npy, ReadsEveryVersion) {
  for (const char version : {'\x01', '\x02', '\x03'}) {
    EXPECT_EQ(values_of<float>(read(npy(dictionary("<f4", "(2, 3)"), bytes(six_), version))), six_)
        << int{version};
  }
}

TEST_F(Npy, ReadsBigEndian) {
  EXPECT_EQ(values_of<float>(read(npy(dictionary(">f4", "(2, 3)"), bytes(six_, true)))), six_);
  const std::vector<double> wide{0.1, -1e300};
  EXPECT_EQ(values_of<double>(read(npy(dictionary(">f8", "(1, 2)"), bytes(wide, true)))), wide);
}

TEST_F(Npy, ReadsFortranOrder) {
  const std::vector<float> by_columns{1, 4, 2, 5, 3, -6.5f};
  EXPECT_EQ(values_of<float>(read(npy(dictionary("<f4", "(2, 3)", true), bytes(by_columns)))), six_);
}

TEST_F(Npy, KeepsDoublesAsTheyAre) {
  const std::vector<double> wide{0.1, 1.0 / 3, 1e-300, 5};
  EXPECT_EQ(values_of<double>(read(npy(dictionary("<f8", "(4, 1)"), bytes(wide)))), wide);
}

TEST_F(Npy, WidensHalvesExactly) {
  // 1, -2, the largest, the smallest normal, the smallest subnormal, minus zero, infinity.
  const std::vector<std::uint16_t> halves{0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x8000, 0x7c00};
  const auto found = values_of<float>(read(npy(dictionary("<f2", "(7, 1)"), bytes(halves))));
  const std::vector<float> expected{
      1, -2, 65504, 0x1.0p-14f, 0x1.0p-24f, -0.0f, std::numeric_limits<float>::infinity()};
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(std::signbit(found[5]));
  const std::vector<std::uint16_t> swapped{0x003c};
  EXPECT_EQ(values_of<float>(read(npy(dictionary(">f2", "(1, 1)"), bytes(swapped))))[0], 1.0f);
}

TEST_F(Npy, ReadsGzipAlsoInSeveralMembers) {
  const std::string file = npy(dictionary("<f4", "(2, 3)"), bytes(six_));
  EXPECT_EQ(values_of<float>(read(gzip(file), "a.npy.gz")), six_);
  EXPECT_EQ(values_of<float>(read(gzip(file.substr(0, 70)) + gzip(file.substr(70)), "a.npy.gz")), six_);
}

TEST_F(Npy, ReadsGzipLargerThanItsBuffers) {
  std::vector<float> many(200'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i * 7919 % 1009);
  EXPECT_EQ(values_of<float>(read(gzip(npy(dictionary("<f4", "(1000, 200)"), bytes(many))))), many);
}

TEST_F(Npy, DamagedGzipIsAnError) {
  std::string packed = gzip(npy(dictionary("<f4", "(2, 3)"), bytes(six_)));
  expect_error(packed.substr(0, packed.size() - 12), "gzip data end too early");
  expect_error(packed + "rest", "something else follows the gzip data");
  packed[20] = static_cast<char>(packed[20] ^ 0x55);
  expect_error(packed, "gzip data");
}

TEST_F(Npy, TruncatedFileSaysHowMuchIsThere) {
  const std::string file = npy(dictionary("<f4", "(2, 3)"), bytes(six_));
  expect_error(file.substr(0, file.size() - 4), "truncated: 2 x 3 float32 need 24 bytes, found 20");
  for (const std::size_t length : {3, 6, 8, 9, 40})
    expect_error(file.substr(0, length), "truncated inside the .npy header");
}

TEST_F(Npy, MoreThanOneArrayIsAnError) {
  expect_error(npy(dictionary("<f4", "(2, 3)"), bytes(six_) + "more"),
               "4 bytes after the array of 2 x 3 float32, expected one array only");
}

TEST_F(Npy, ForeignFilesAreNamed) {
  expect_error("", "not a .npy file: the file is empty");
  expect_error("The quick brown fox", "it starts with the text 'The quick brown '");
  expect_error(std::string("PK\x03\x04", 4) + "rest", "zip archive (.npz?)");
  expect_error(std::string("\x80\x04\x95", 3), "Python pickle");
  expect_error(std::string("\x89HDF\r\n", 6), "HDF5");
  expect_error(std::string("BZh91AY", 7), "not by gzip");
  expect_error(std::string("\x01\x02\x03\x04", 4), "it starts with the bytes 01 02 03 04");
}

TEST_F(Npy, OtherTypesAreNamed) {
  expect_error(npy(dictionary("<i8", "(1, 1)"), "12345678"),
               "int64 ('<i8'), expected float16, float32 or float64");
  expect_error(npy(dictionary("|u1", "(1, 1)"), "1"), "uint8");
  expect_error(npy(dictionary("|O", "(1, 1)"), "x"), "Python objects (pickled)");
  expect_error(npy(dictionary("<U4", "(1, 1)"), "x"), "strings");
  expect_error(npy(dictionary("<c8", "(1, 1)"), "x"), "complex64");
  expect_error(npy(dictionary("|b1", "(1, 1)"), "x"), "bool");
  expect_error(npy(dictionary("<f16", "(1, 1)"), "x"), "float128");
  expect_error(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 1), }", "1234"),
               "records");
}

TEST_F(Npy, OtherShapesAreNamed) {
  expect_error(npy(dictionary("<f4", "(6,)"), bytes(six_)), "a 1-D array of 6, expected 2-D");
  expect_error(npy(dictionary("<f4", "(1, 2, 3)"), bytes(six_)), "a 3-D array of 1 x 2 x 3, expected 2-D");
  expect_error(npy(dictionary("<f4", "()"), "1234"), "a 0-D array, expected 2-D");
  expect_error(npy(dictionary("<f4", "(0, 3)"), ""), "0 rows of 3 columns, expected at least one of each");
  expect_error(npy(dictionary("<f4", "(3, 0)"), ""), "3 rows of 0 columns");
  expect_error(npy(dictionary("<f4", "(9999999999999, 9999999999999)"), ""), "impossible shape");
}

TEST_F(Npy, DamagedHeadersAreErrors) {
  expect_error(npy("no dictionary", ""), "damaged .npy header, no '{'");
  expect_error(npy("{'descr': '<f4', 'shape': (1, 1), }", "1234"), "a key is missing");
  expect_error(npy("{'descr': '<f4', 'fortran_order': Maybe, }", ""), "neither True nor False");
  expect_error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1; 1), }", ""), "shape is no tuple");
  expect_error(npy("{'colour': 'blue'}", ""), "unknown key 'colour'");
  expect_error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999, 1), }", ""),
               "shape is no tuple");
  expect_error(npy(dictionary("<f4", "(2, 3)"), bytes(six_), 4),
               ".npy version 4.0, expected 1.0, 2.0 or 3.0");
}

TEST_F(Npy, AKeyThatComesTwiceIsAnError) {
  // The layers of the first shape once stayed: 6 columns of 7 layers were 0 wide.
  const std::string start = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 7, 3), ";
  const std::string path = folder_.write("a.npy", npy(start + "'shape': (8, 6), }", std::string(192, '\0')));
  EXPECT_ERROR(read_npy(path, NpyShape::layered), ErrorCode::invalid_input,
               "a.npy: damaged .npy header, 'shape' comes twice");
  expect_error(npy("{'descr': '<f4', 'descr': '<f8', }", ""), "'descr' comes twice");
  expect_error(npy("{'fortran_order': False, 'fortran_order': True, }", ""), "'fortran_order' comes twice");
}

TEST_F(Npy, NothingFollowsTheDictionary) {
  const std::string whole = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(read_npy(folder_.write("a.npy", npy(whole + "   \n", bytes(six_)))).rows(), 2u);
  for (const std::string& more : {std::string("{'descr': '<f8', }"), std::string(" x"), std::string(1, '\0')})
    expect_error(npy(whole + more, bytes(six_)), "damaged .npy header, more follows its '}'");
}

TEST_F(Npy, DamagedBytesGiveVectorsOrAnErrorNeverACrash) {
  const std::string plain = npy(dictionary("<f4", "(2, 3)"), bytes(six_));
  RandomStream random(7, 0);
  for (const std::string& whole : {plain, gzip(plain)}) {
    int errors = 0;
    for (int attempt = 0; attempt < 1500; ++attempt) {
      std::string file = whole;
      for (std::uint64_t i = 0; i <= random.below(4); ++i)
        file[random.below(file.size())] = static_cast<char>(random.next());
      if (random.below(4) == 0) file.resize(random.below(file.size()));
      try {
        EXPECT_GE(read(file).rows(), 1u);
      } catch (const Error&) {
        ++errors;
      }
    }
    EXPECT_GT(errors, 100);
  }
}

TEST_F(Npy, MissingFileIsAnError) {
  EXPECT_ERROR(read_npy("/no/such.npy"), ErrorCode::io,
               "/no/such.npy: cannot open: No such file or directory");
  EXPECT_ERROR(read_npy(folder_.path()), ErrorCode::io, "Is a directory");
}

TEST_F(Npy, ValuesThatAreNotFiniteHaveAPlace) {
  ThreadPool pool(2);
  std::vector<float> many(3000 * 3, 1.0f);
  many[2500 * 3 + 1] = std::numeric_limits<float>::quiet_NaN();
  many[2700 * 3] = std::numeric_limits<float>::infinity();
  const Vectors bad = read(npy(dictionary("<f4", "(3000, 3)"), bytes(many)));
  EXPECT_ERROR(require_finite(bad, pool), ErrorCode::invalid_input,
               "row 2501, column 2 is NaN, expected a finite number");
  many[2500 * 3 + 1] = 0;
  const Vectors worse = read(npy(dictionary("<f4", "(3000, 3)"), bytes(many)));
  EXPECT_ERROR(require_finite(worse, pool), ErrorCode::invalid_input, "row 2701, column 1 is infinite");
  require_finite(read(npy(dictionary("<f4", "(2, 3)"), bytes(six_))), pool);
}

TEST_F(Npy, ValuesWhoseSquaresOverflowAreRefused) {
  ThreadPool pool(1);
  const Vectors fits = read(npy(dictionary("<f8", "(1, 2)"), bytes(std::vector<double>{1e150, -1e150})));
  require_finite(fits, pool);
  const Vectors bad = read(npy(dictionary("<f8", "(1, 2)"), bytes(std::vector<double>{0, -2e150})));
  EXPECT_ERROR(require_finite(bad, pool), ErrorCode::invalid_input,
               "row 1, column 2 is -2e+150, too large: its square overflows");
  const Vectors largest_float = read(npy(dictionary("<f4", "(1, 1)"), bytes(std::vector<float>{3e38f})));
  require_finite(largest_float, pool);
}

TEST_F(Npy, StackedSetsKeepTheWiderType) {
  std::vector<Vectors> parts;
  parts.push_back(read(npy(dictionary("<f4", "(2, 3)"), bytes(six_)), "one.npy"));
  parts.push_back(read(npy(dictionary("<f4", "(1, 3)"), bytes(std::vector<float>{7, 8, 9})), "two.npy"));
  EXPECT_EQ(values_of<float>(stack(parts)), (std::vector<float>{1, 2, 3, 4, 5, -6.5f, 7, 8, 9}));
  EXPECT_EQ(stack(parts).name(), folder_.file("one.npy") + " + " + folder_.file("two.npy"));
  parts.push_back(
      read(npy(dictionary("<f8", "(1, 3)"), bytes(std::vector<double>{0.1, 0.2, 0.3})), "three.npy"));
  const auto values = values_of<double>(stack(parts));
  ASSERT_EQ(values.size(), 12u);
  EXPECT_EQ(values[5], -6.5);
  EXPECT_EQ(values[9], 0.1);
}

// It was mapped once: a file that was cut during a run ended the process, one that was rewritten changed
// scores.
TEST_F(Npy, StaysAsItWasReadWhateverHappensToTheFile) {
  const std::string file = npy(dictionary("<f4", "(2, 3)"), bytes(six_));
  const Vectors vectors = read(file);
  std::fstream(folder_.file("a.npy"), std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(file.size()) - 4)
      .write("\0\0\0\0", 4);
  EXPECT_EQ(values_of<float>(vectors), six_);
  std::filesystem::resize_file(folder_.file("a.npy"), 10);
  EXPECT_EQ(values_of<float>(vectors), six_);
}

// A header alone asks for no memory: these would be 4 TB.
TEST_F(Npy, AHeaderThatClaimsMoreThanTheFileHasIsRefused) {
  expect_error(npy(dictionary("<f4", "(1000000, 1000000)"), bytes(six_)),
               "truncated: 1000000 x 1000000 float32 need 4000000000000 bytes, found 24");
}

}  // namespace
}  // namespace markeval::vectors
