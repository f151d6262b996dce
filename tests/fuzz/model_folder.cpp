#include <array>

#include "base/folder_files.hpp"
#include "base/parallel.hpp"
#include "compute/device.hpp"
#include "encoder/encoder.hpp"
#include "fuzz/fuzz.hpp"
#include "models/model_folder.hpp"
#include "token/token_limit.hpp"
#include "token/tokenizer_files.hpp"

// All that is read of a model's settings: config.json, modules.json, sentence_bert_config.json and
// tokenizer_config.json, with '\0' between them, beside weights of a tiny model.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  static ThreadPool pool(1);
  static const std::unique_ptr<compute::Device> device = compute::make_device("cpu", pool);
  static const bool copied = std::filesystem::copy_file(MARKEVAL_TEST_MODELS "/bert/model.safetensors",
                                                        folder.path() + "/model.safetensors",
                                                        std::filesystem::copy_options::overwrite_existing);
  fuzz::require(copied, "no weights to start with");
  fuzz::Input input(data, size);
  fuzz::write_parts(input, folder,
                    {"config.json", "modules.json", "sentence_bert_config.json", "tokenizer_config.json"});
  fuzz::answer_or_error([&] {
    const FolderFiles files(folder.path(), std::span(&models::kModulesName, 1));
    models::read_modules(files);
  });
  fuzz::answer_or_error([&] {
    const FolderFiles files(folder.path(), token::kTokenizerFiles);
    models::require_no_lower_case(files);
  });
  fuzz::answer_or_error([&] {
    const std::string_view name = "config.json";
    models::read_pooling(FolderFiles(folder.path(), std::span(&name, 1)));
  });
  fuzz::answer_or_error([&] { encoder::Encoder(folder.path(), *device); });
  return 0;
}
