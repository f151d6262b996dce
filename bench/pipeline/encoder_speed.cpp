// How long sentence vectors take, for bench/peers/encoder.py:
//   encoder_speed MODEL_FOLDER LINES OUT.f32 [threads] [bf16]
// Encodes every line of LINES with the model's own pooling, writes the vectors as raw float32 and one line of
// JSON: seconds to load and to encode, CPU seconds of the process, its peak memory.
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "embed/text_encoder.hpp"
#include "embed/text_run.hpp"

using namespace markeval;

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto in_seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return in_seconds(usage.ru_utime) + in_seconds(usage.ru_stime);
}

// VmHWM: ru_maxrss would count the parent's memory up to the moment this program replaced it.
std::size_t peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6));
  }
  return 0;
}

/// Writes the row of every line.
class VectorWriter : public embed::TextUser {
 public:
  VectorWriter(const embed::SentenceRequest& sentence, std::ostream& out) : sentence_(sentence), out_(out) {}
  embed::EncodeRequest request() const override { return {{}, {sentence_}}; }
  bool needs_order() const override { return true; }
  void take(const embed::TextBlock& block) override {
    for (std::size_t index = 0; index < block.lines().size(); ++index) {
      const std::span<const float> row = block.texts().sentence(block.reference(0, index).front(), 0);
      out_.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(row.size_bytes()));
    }
  }

 private:
  embed::SentenceRequest sentence_;
  std::ostream& out_;
};

void run(const std::vector<std::string>& arguments) {
  const std::size_t threads = arguments.size() > 3 ? std::stoul(arguments[3]) : 0;
  const bool bf16 = arguments.size() > 4 && arguments[4] == "bf16";
  const double start = seconds();
  ThreadPool pool(threads);
  const auto device = compute::make_cpu_device(pool);
  embed::ModelPool models(*device);
  cache::VectorCache no_cache("none");
  EncoderOptions options;
  options.model = arguments[0];
  options.precision = bf16 ? "bf16" : "f32";
  embed::TextEncoder encoder(models, options, no_cache);
  encoder.model().encoder();  // the weights
  const double loaded = seconds(), cpu_loaded = cpu_seconds();
  text::Corpus corpus = text::read_corpus(arguments[1]);
  std::ofstream out(arguments[2], std::ios::binary);
  VectorWriter writer(encoder.default_sentence(), out);
  embed::TextUser* const user = &writer;
  const embed::RunTexts texts{{&corpus, 1}, {}};
  const TextCounts counts =
      embed::run_texts(encoder, texts, {&user, 1}, RunContext{pool}).references[0].sentences;
  const double done = seconds(), cpu_done = cpu_seconds();
  std::cout << "{\"load_s\": " << loaded - start << ", \"encode_s\": " << done - loaded
            << ", \"encode_cpu_s\": " << cpu_done - cpu_loaded << ", \"peak_kib\": " << peak_kib()
            << ", \"texts\": " << counts.texts << ", \"tokens\": " << counts.tokens
            << ", \"threads\": " << pool.size() << ", \"device\": \"" << device->name() << "\"}\n";
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::cerr << "usage: encoder_speed MODEL_FOLDER LINES OUT.f32 [threads] [bf16]\n";
    return 2;
  }
  try {
    run({arguments + 1, arguments + count});
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
