// Hidden states of every layer of a model, for comparison with other programs:
//   encoder_states MODEL_FOLDER IDS OUT [bf16]
// IDS has one sequence per line, token ids between blanks. Writes OUT/layer_N.npy, float32, tokens x hidden
// size.
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "encoder/encoder.hpp"

using namespace markeval;

namespace {

// Version 1.0 of the format: magic, header length, a Python dictionary padded to 64 bytes. Rows are known
// beforehand.
class NpyFile {
 public:
  NpyFile(const std::string& path, std::size_t rows, std::size_t columns) : file_(path, std::ios::binary) {
    std::ostringstream text;
    text << "{'descr': '<f4', 'fortran_order': False, 'shape': (" << rows << ", " << columns << "), }";
    std::string header = text.str();
    header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 10, ' ');
    header.back() = '\n';
    file_.write("\x93NUMPY\x01\x00", 8);
    const char length[2] = {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    file_.write(length, 2);
    file_ << header;
  }
  void write(MatrixView<const float> rows) {
    file_.write(reinterpret_cast<const char*>(rows.data()),
                static_cast<std::streamsize>(rows.rows() * rows.columns() * sizeof(float)));
  }

 private:
  std::ofstream file_;
};

std::vector<std::vector<std::int32_t>> read_ids(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw_io(path, "cannot read");
  std::vector<std::vector<std::int32_t>> sequences;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    sequences.emplace_back();
    for (std::int32_t id = 0; words >> id;) sequences.back().push_back(id);
  }
  return sequences;
}

void run(const std::string& folder, const std::string& ids, const std::string& out,
         compute::Precision precision) {
  const auto sequences = read_ids(ids);
  std::size_t tokens = 0;
  for (const auto& sequence : sequences) tokens += sequence.size();
  ThreadPool pool;
  const auto device = compute::make_cpu_device(pool);
  encoder::Encoder model(folder, *device, precision);
  std::vector<std::size_t> layers;
  std::vector<NpyFile> files;
  for (std::size_t layer = 0; layer <= model.dimensions().layers; ++layer) {
    layers.push_back(layer);
    files.emplace_back(out + "/layer_" + std::to_string(layer) + ".npy", tokens, model.dimensions().hidden);
  }
  for (const auto& sequence : sequences) {
    token::PackedBatch batch;
    batch.ids = sequence;
    batch.starts = {0, sequence.size()};
    model.run(batch, layers,
              [&](std::size_t layer, const compute::Sequences&, compute::DeviceMatrix<const float> states) {
                const std::vector<float> rows = compute::download_matrix(*device, states);
                files[layer].write({rows.data(), states.rows, states.columns});
              });
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::cerr << "usage: encoder_states MODEL_FOLDER IDS OUT [bf16]\n";
    return 2;
  }
  try {
    const bool bf16 = count > 4 && std::string(arguments[4]) == "bf16";
    run(arguments[1], arguments[2], arguments[3], bf16 ? compute::Precision::bf16 : compute::Precision::f32);
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
