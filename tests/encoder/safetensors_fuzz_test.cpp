// Damaged files of every kind: the reader either refuses them with an Error or gives tensors that lie inside
// the file. `make test-asan` runs this under the address sanitizer, where every byte of an accepted tensor is
// read.
#include <gtest/gtest.h>

#include <iterator>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "encoder/model_folder.hpp"
#include "encoder/safetensors.hpp"

namespace markeval::encoder {
namespace {

std::string mutated(std::string content, std::size_t header, RandomStream& random) {
  static const std::string kPieces[] = {"[",
                                        "]",
                                        "{",
                                        "}",
                                        "\"",
                                        ",",
                                        ":",
                                        "-1",
                                        "1e9",
                                        "18446744073709551615",
                                        "0",
                                        "null",
                                        "\"F32\"",
                                        "\"shape\"",
                                        "data_offsets",
                                        "\\u0000",
                                        "9999999999999999999999"};
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t change = 0; change < changes && content.size() > 16; ++change) {
    const std::size_t limit = std::min(content.size(), header + 8);
    const auto place = static_cast<std::size_t>(random.below(limit));
    switch (random.below(5)) {
      case 0:
        content[place] = static_cast<char>(random.below(256));
        break;
      case 1:
        content[place] = static_cast<char>('0' + random.below(10));
        break;
      case 2:
        content.erase(place, 1 + random.below(20));
        break;
      case 3:
        content.insert(place, kPieces[random.below(std::size(kPieces))]);
        break;
      default:
        content.resize(static_cast<std::size_t>(random.below(content.size())) + 1);
        break;
    }
  }
  return content;
}

TEST(SafetensorsFuzz, DamagedHeadersNeverLeadOutsideTheFile) {
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"a.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("a.bias":{"dtype":"F16","shape":[2],"data_offsets":[24,28]},)"
      R"("b":{"dtype":"BF16","shape":[1,1,4],"data_offsets":[28,36]}})";
  const std::string good = safetensors(header, std::string(36, '\x3f'));
  std::size_t accepted = 0, refused = 0;
  for (std::uint64_t round = 0; round < 20'000; ++round) {
    RandomStream random(7, round);
    const std::string content = mutated(good, header.size(), random);
    const std::vector<char> exact(content.begin(), content.end());  // no room behind the last byte
    try {
      const SafetensorsHeader parsed =
          parse_safetensors("fuzzed", std::as_bytes(std::span(exact)), exact.size());
      for (const auto& [name, tensor] : parsed.tensors)
        EXPECT_LE(parsed.data_begin + tensor.begin + tensor.bytes, exact.size()) << name;
      ++accepted;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_input) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(accepted, 0u);  // or the mutations are too rough to reach anything
  EXPECT_GT(refused, 10'000u);
}

}  // namespace
}  // namespace markeval::encoder
