// Prints what a model folder's tokenizer makes of every line of standard input;
// tests/parity/compare_tokens.py compares it with PyPI `tokenizers`. Lines are JSON strings, so that any text
// fits into one.
//   token_dump FOLDER          ids, blank-separated
//   token_dump FOLDER binary   for each line the number of its ids and the ids, as 32-bit integers
//   token_dump FOLDER offsets  id:begin:end:word, in characters, blank-separated
//   token_dump FOLDER time N   reads all lines, encodes them N times, prints seconds of each round
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "text/utf8.hpp"
#include "token/tokenizer.hpp"

namespace {

using namespace markeval;

std::size_t characters_before(const std::string& text, std::uint32_t byte) {
  return text::count_characters(std::string_view(text).substr(0, byte));
}

void print_offsets(const token::Tokenizer& tokenizer, const std::string& text,
                   token::TokenizerScratch& scratch, std::string& out) {
  token::Encoding encoding;
  tokenizer.encode(text, token::kNoLimit, scratch, encoding);
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    out += fmt::format("{}{}:{}:{}:{}", i == 0 ? "" : " ", encoding.ids[i],
                       characters_before(text, encoding.offsets[i].begin),
                       characters_before(text, encoding.offsets[i].end), encoding.words[i]);
  }
}

void time_rounds(const token::Tokenizer& tokenizer, int rounds) {
  std::vector<std::string> texts;
  std::string line;
  while (std::getline(std::cin, line)) texts.push_back(nlohmann::json::parse(line).get<std::string>());
  token::TokenizerScratch scratch;
  for (int round = 0; round < rounds; ++round) {
    token::PackedBatch batch;
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& text : texts) tokenizer.append(text, token::kNoLimit, scratch, batch);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::cout << fmt::format("{:.6f} {}\n", took.count(), batch.ids.size());
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::cerr << "usage: token_dump FOLDER [binary | offsets | time N]\n";
    return 2;
  }
  std::ios::sync_with_stdio(false);
  const token::Tokenizer tokenizer = token::Tokenizer::load(argv[1]);
  const std::string mode = argc > 2 ? argv[2] : "";
  if (mode == "time") {
    time_rounds(tokenizer, argc > 3 ? std::stoi(argv[3]) : 3);
    return 0;
  }
  token::TokenizerScratch scratch;
  token::PackedBatch batch;
  std::string line;
  std::string out;
  while (std::getline(std::cin, line)) {
    const auto text = nlohmann::json::parse(line).get<std::string>();
    out.clear();
    if (mode == "offsets") {
      print_offsets(tokenizer, text, scratch, out);
    } else {
      batch.clear();
      tokenizer.append(text, token::kNoLimit, scratch, batch);
      if (mode == "binary") {
        const auto count = static_cast<std::int32_t>(batch.ids.size());
        std::cout.write(reinterpret_cast<const char*>(&count), sizeof count);
        std::cout.write(reinterpret_cast<const char*>(batch.ids.data()),
                        static_cast<std::streamsize>(batch.ids.size() * sizeof count));
        continue;
      }
      for (std::size_t i = 0; i < batch.ids.size(); ++i)
        out += fmt::format("{}{}", i == 0 ? "" : " ", batch.ids[i]);
    }
    std::cout << out << '\n';
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << "token_dump: " << error.what() << '\n';
  return 1;
}
