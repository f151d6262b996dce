#include "encoder/safetensors.hpp"
#include "fuzz/fuzz.hpp"
#include "trained/trainer.hpp"
#include "trained/training_files.hpp"

// The checkpoint of a training. First byte even: the file as it is; odd: the rest is its state, in a file
// with the right tensors and checksum.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  static const trained::ParameterLayout layout = [] {
    trained::ParameterLayout made;
    made.add("weight", 2, 3, trained::Start::zero);
    return made;
  }();
  fuzz::Input input(data, size);
  if (input.byte() % 2 == 0) {
    folder.write(trained::kCheckpointFile, input.rest());
  } else {
    const std::vector<float> values(layout.size(), 0.5F);
    std::vector<encoder::NamedTensor> tensors;
    for (const char* name : {"values", "first_moment", "second_moment", "best"})
      tensors.push_back({name, {values.size()}, values});
    encoder::write_safetensors(folder.path() + "/" + trained::kCheckpointFile, tensors,
                               {{"plan", "{}"}, {"state", std::string(input.rest())}});
  }
  fuzz::answer_or_error([&] {
    const trained::TrainingState state = trained::read_checkpoint(folder.path(), "{}", layout);
    fuzz::require(state.best_epoch <= state.curve.size(), "the best epoch is none");
  });
  return 0;
}
