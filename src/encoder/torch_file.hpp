// Tensors in a file of PyTorch's torch.save(): pytorch_model.bin. Two forms: since version 1.6 a zip archive
// of data.pkl and data/0, data/1, ...; before that pickles one after the other and the numbers behind them.
// Either way a pickle names the tensors. It is read by encoder/pickle, which executes nothing.
#pragma once

#include "base/open_file.hpp"
#include "encoder/tensor_file.hpp"

namespace markeval::encoder {

/// What is no tensor in the saved dictionary is left out. Throws Error(invalid_input) where the file is
/// damaged, is of another format, or would execute anything but the making of tensors; Error(io) where it
/// cannot be read.
TensorFile read_torch_file(const OpenFile& file);

}  // namespace markeval::encoder
