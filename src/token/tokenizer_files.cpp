// A tokenizer.json is used as it is; vocab.txt (BERT) and vocab.json with merges (byte-level BPE) are
// rewritten into one.
#include "token/tokenizer_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/json_reader.hpp"
#include "base/json_text.hpp"
#include "base/quotation.hpp"
#include "text/line_reader.hpp"
#include "text/utf8.hpp"
#include "token/json_fields.hpp"

namespace markeval::token {
namespace {

// A special token's text: a string, or an object with its content.
std::string special_name(const json& config, const char* key, const std::string& fallback,
                         const JsonPath& where) {
  const json* value = find_field(config, key);
  if (value != nullptr && value->is_object()) return read_string(*value, "content", std::nullopt, where);
  return read_string(config, key, fallback, where);
}

void add_special(json& list, const json& vocabulary, const std::string& content, bool lstrip) {
  const auto found = vocabulary.find(content);
  if (found == vocabulary.end()) return;
  const auto is_it = [&](const json& one) { return one["content"] == content; };
  if (std::any_of(list.begin(), list.end(), is_it)) return;
  list.push_back({{"id", *found},
                  {"content", content},
                  {"single_word", false},
                  {"lstrip", lstrip},
                  {"rstrip", false},
                  {"normalized", false},
                  {"special", true}});
}

// A vocabulary with capital letters is of no use to texts in lower case. Names such as "[CLS]" do not count.
bool has_capital_letters(const json& vocabulary) {
  for (const auto& [piece, id] : vocabulary.items()) {
    if (piece.starts_with("[")) continue;
    if (std::any_of(piece.begin(), piece.end(), [](char letter) { return letter >= 'A' && letter <= 'Z'; }))
      return true;
  }
  return false;
}

TokenizerDescription describe_bert(const FolderFiles& files) {
  const std::string path = files.path("vocab.txt");
  const JsonPath where{path};
  const json config = read_settings(files, "tokenizer_config.json");
  json vocabulary = json::object();
  text::LineReader lines(path, std::string_view(files.get("vocab.txt")));
  std::string_view line;
  std::int32_t id = 0;
  while (lines.next(line)) {
    // Only the end is stripped: a piece may begin with white space of its own.
    const std::string_view inner = text::strip(line);
    const std::size_t end =
        inner.empty() ? 0 : static_cast<std::size_t>(inner.data() - line.data()) + inner.size();
    vocabulary[std::string(line.substr(0, end))] = id++;
  }
  if (id == 0) where.fail("empty, expected one piece per line");
  // Google's folders say nothing about case but in the name they were published under.
  const bool is_googles = files.find("config.json") == nullptr && files.find("bert_config.json") != nullptr;
  const bool is_cased = is_googles && has_capital_letters(vocabulary);
  const std::string cls = special_name(config, "cls_token", "[CLS]", where);
  const std::string sep = special_name(config, "sep_token", "[SEP]", where);
  const std::string unknown = special_name(config, "unk_token", "[UNK]", where);
  json added = json::array();
  for (const std::string& name : {special_name(config, "pad_token", "[PAD]", where), unknown, cls, sep,
                                  special_name(config, "mask_token", "[MASK]", where)}) {
    add_special(added, vocabulary, name, false);
  }
  for (const std::string& name : {cls, sep}) {
    if (!vocabulary.contains(name))
      where.fail(fmt::format("no piece {}, expected it for the template", in_quotes(name)));
  }
  json normalizer = {{"type", "BertNormalizer"},
                     {"clean_text", true},
                     {"handle_chinese_chars", read_bool(config, "tokenize_chinese_chars", true, where)},
                     {"strip_accents", nullptr},
                     {"lowercase", read_bool(config, "do_lower_case", !is_cased, where)}};
  if (const json* strip = find_field(config, "strip_accents")) normalizer["strip_accents"] = *strip;
  const json root{
      {"version", "1.0"},
      {"added_tokens", added},
      {"normalizer", normalizer},
      {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
      {"post_processor",
       {{"type", "BertProcessing"}, {"sep", {sep, vocabulary[sep]}}, {"cls", {cls, vocabulary[cls]}}}},
      {"model",
       {{"type", "WordPiece"},
        {"unk_token", unknown},
        {"continuing_subword_prefix", "##"},
        {"max_input_chars_per_word", 100},
        {"vocab", vocabulary}}}};
  return {path, json_text(root)};
}

TokenizerDescription describe_byte_bpe(const FolderFiles& files) {
  const std::string path = files.path("vocab.json");
  const JsonPath where{path};
  const json config = read_settings(files, "tokenizer_config.json");
  const json vocabulary = parse_json_object(files.get("vocab.json"), path);
  json merges = json::array();
  text::LineReader lines(files.path("merges.txt"), std::string_view(files.get("merges.txt")));
  std::string_view line;
  while (lines.next(line)) {
    if (!line.starts_with("#version") && !line.empty()) merges.push_back(line);
  }
  const bool prefix_space = read_bool(config, "add_prefix_space", false, where);
  const std::string cls = special_name(config, "cls_token", "<s>", where);
  const std::string sep = special_name(config, "sep_token", "</s>", where);
  const bool roberta = vocabulary.contains(cls) && vocabulary.contains(sep);
  json added = json::array();
  json post_processor = {{"type", "ByteLevel"}, {"add_prefix_space", prefix_space}, {"trim_offsets", false}};
  if (roberta) {
    for (const std::string& name : {cls, special_name(config, "pad_token", "<pad>", where), sep,
                                    special_name(config, "unk_token", "<unk>", where)}) {
      add_special(added, vocabulary, name, false);
    }
    add_special(added, vocabulary, special_name(config, "mask_token", "<mask>", where), true);
    post_processor = {{"type", "RobertaProcessing"},
                      {"sep", {sep, vocabulary[sep]}},
                      {"cls", {cls, vocabulary[cls]}},
                      {"trim_offsets", true},
                      {"add_prefix_space", prefix_space}};
  } else {
    add_special(added, vocabulary, special_name(config, "eos_token", "<|endoftext|>", where), false);
  }
  const json root{
      {"version", "1.0"},
      {"added_tokens", added},
      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", prefix_space}, {"trim_offsets", true}}},
      {"post_processor", post_processor},
      {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}}};
  return {path, json_text(root)};
}

}  // namespace

json read_settings(const FolderFiles& files, std::string_view name) {
  const std::string* const text = files.find(name);
  return text == nullptr ? json(json::object()) : parse_json_object(*text, files.path(name));
}

TokenizerDescription describe_tokenizer(const FolderFiles& files) {
  if (const std::string* const text = files.find("tokenizer.json"))
    return {files.path("tokenizer.json"), *text};
  if (files.find("vocab.txt") != nullptr) return describe_bert(files);
  if (files.find("vocab.json") != nullptr && files.find("merges.txt") != nullptr)
    return describe_byte_bpe(files);
  throw_invalid(files.folder() +
                ": no tokenizer; expected tokenizer.json, or vocab.txt, or vocab.json and merges.txt");
}

}  // namespace markeval::token
