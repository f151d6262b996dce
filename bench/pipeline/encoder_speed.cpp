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

void run(const std::vector<std::string>& arguments) {
  const std::size_t threads = arguments.size() > 3 ? std::stoul(arguments[3]) : 0;
  const bool bf16 = arguments.size() > 4 && arguments[4] == "bf16";
  const double start = seconds();
  ThreadPool pool(threads);
  const auto device = compute::make_cpu_device(pool);
  embed::TextEncoder encoder(arguments[0], *device,
                             bf16 ? compute::Precision::bf16 : compute::Precision::f32);
  const double loaded = seconds(), cpu_loaded = cpu_seconds();
  std::ifstream lines(arguments[1]);
  if (!lines) throw_io(arguments[1], "cannot read");
  std::ofstream out(arguments[2], std::ios::binary);
  std::string line;
  const embed::TextCounts counts = encoder.encode(
      [&](std::string_view& text) {
        if (!std::getline(lines, line)) return false;
        text = line;
        return true;
      },
      encoder.sentence_request(),
      [&](const embed::EncodedText& text) {
        out.write(reinterpret_cast<const char*>(text.layers[0].data()),
                  static_cast<std::streamsize>(text.layers[0].columns() * sizeof(float)));
      },
      RunContext{pool});
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
