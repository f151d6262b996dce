#include "trained/word_vectors.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "embed/token_set.hpp"

namespace markeval::trained {
namespace {

constexpr std::size_t kWindowTexts = 128;  // encoded at a time: bounds the memory of their vectors

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

WordEncoder::WordEncoder(embed::TokenSource& source, cache::VectorCache& cache, embed::CacheContext key,
                         ThreadPool& pool)
    : source_(source), encoding_(cache, std::move(key), (source.last_layer() + 1) * source.width(), pool) {}

void WordEncoder::encode(std::span<const std::string_view> texts, embed::RowsSink sink,
                         const RunContext& context) {
  std::vector<std::size_t> all_layers(layers());
  for (std::size_t layer = 0; layer < all_layers.size(); ++layer) all_layers[layer] = layer;
  embed::TokenRules rules;
  rules.specials = false;
  rules.punctuation = true;
  encoding_.run(
      texts,
      [&](std::span<const std::string_view> missing, embed::RowsSink rows) {
        const RunContext silent{context.pool, nullptr, context.log, context.cancel};
        const std::vector<embed::TokenText> encoded = source_.encode(missing, all_layers, silent);
        std::vector<float> values;
        for (std::size_t index = 0; index < encoded.size(); ++index) {
          const embed::TokenText& text = encoded[index];
          const std::vector<std::uint32_t> kept = embed::kept_tokens(text.facts, rules);
          values.clear();
          for (const std::uint32_t token : kept) {
            for (std::size_t layer = 0; layer < all_layers.size(); ++layer) {
              const auto vector = text.layer(layer).row(token);
              values.insert(values.end(), vector.begin(), vector.end());
            }
          }
          rows(index, MatrixView<const float>(values.data(), kept.size(), row_size()),
               {static_cast<std::uint32_t>(text.unknown), static_cast<std::uint32_t>(text.cut)});
        }
      },
      sink);
}

template <typename Write>
void WordVectors::fill(WordEncoder& encoder, std::span<const std::string> texts, const RunContext& context,
                       const Write& write) {
  std::vector<std::string_view> window;
  std::vector<Half> halves;
  for (std::size_t first = 0; first < texts.size(); first += kWindowTexts) {
    context.check_cancelled();
    const std::size_t count = std::min(kWindowTexts, texts.size() - first);
    window.assign(texts.begin() + static_cast<std::ptrdiff_t>(first),
                  texts.begin() + static_cast<std::ptrdiff_t>(first + count));
    encoder.encode(
        window,
        [&](std::size_t, MatrixView<const float> rows, const embed::TextNote& note) {
          halves.resize(rows.rows() * row_size_);
          for (std::size_t row = 0; row < rows.rows(); ++row) {
            std::transform(rows.row(row).begin(), rows.row(row).end(),
                           halves.begin() + static_cast<std::ptrdiff_t>(row * row_size_), to_half);
          }
          write(halves);
          starts_.push_back(starts_.back() + rows.rows());
          counts_.cut_texts += note.cut > 0 ? 1 : 0;
          counts_.unknown += note.unknown;
        },
        context);
    context.report_progress("encoding texts", first + count, texts.size());
  }
}

WordVectors::WordVectors(WordEncoder& encoder, std::span<const std::string> texts, const RunContext& context)
    : row_size_(encoder.row_size()) {
  fill(encoder, texts, context,
       [&](const std::vector<Half>& rows) { memory_.insert(memory_.end(), rows.begin(), rows.end()); });
  data_ = memory_.data();
}

WordVectors::WordVectors(WordEncoder& encoder, std::span<const std::string> texts, const std::string& file,
                         const RunContext& context)
    : row_size_(encoder.row_size()) {
  const auto remove = [&] {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
  };
  try {
    const std::unique_ptr<std::FILE, CloseFile> out(std::fopen(file.c_str(), "wb"));
    if (!out) throw_io(file, "write");
    fill(encoder, texts, context, [&](const std::vector<Half>& rows) {
      if (std::fwrite(rows.data(), sizeof(Half), rows.size(), out.get()) != rows.size())
        throw_io(file, "write");
    });
    if (std::fflush(out.get()) != 0) throw_io(file, "write");
    file_.emplace(file);
  } catch (...) {
    remove();
    throw;
  }
  remove();
  data_ = reinterpret_cast<const Half*>(file_->bytes().data());
}

}  // namespace markeval::trained
