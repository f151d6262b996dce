// A checkpoint of TensorFlow with a BERT in it, as Google published them: bert_model.ckpt.index says which
// tensors there are, bert_model.ckpt.data-00000-of-00001 has their numbers. Tensors get the names PyTorch's
// BERT has, and its shapes: TensorFlow's kernels are transposed matrices.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/open_file.hpp"
#include "encoder/tensor_file.hpp"

namespace markeval::encoder {

/// The data files that belong to an index ("FOLDER/bert_model.ckpt.index"), in order. Throws
/// Error(invalid_input) where the index is damaged.
std::vector<std::string> checkpoint_data_files(const OpenFile& index);

/// `files`: the index and its data files. Tensors that are no part of the encoder (those of the optimiser,
/// of heads) are left out. Throws Error(invalid_input) where one is damaged, has another checksum than the
/// index says, or where there is no BERT in it.
std::vector<TensorFile> read_checkpoint(std::span<const OpenFile> files);

/// "bert/encoder/layer_0/output/dense/kernel" -> "bert.encoder.layer.0.output.dense.weight"; empty for what
/// is no part of a BERT.
std::string name_of_variable(const std::string& variable);

}  // namespace markeval::encoder
