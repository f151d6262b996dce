// A model in any format markeval reads, written once more in the form others read too: config.json,
// model.safetensors and the tokenizer's files.
#include <array>
#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/output_file.hpp"
#include "encoder/safetensors.hpp"
#include "models/model_folder.hpp"
#include "models/store.hpp"
#include "token/tokenizer_files.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

/// Beside the files that are read, those that other programs want.
constexpr std::array<std::string_view, 2> kMoreTokenizerFiles{"special_tokens_map.json", "added_tokens.json"};

std::string todays_name(std::string name) {
  for (const auto& [old, today] : {std::pair<std::string_view, std::string_view>{"LayerNorm.gamma", "weight"},
                                   {"LayerNorm.beta", "bias"}}) {
    if (name.ends_with(old)) return name.substr(0, name.rfind('.') + 1) + std::string(today);
  }
  return name;
}

ConvertedFolder write_weights(const encoder::WeightFiles& weights, const std::string& path) {
  std::vector<std::vector<float>> values;
  std::vector<encoder::NamedTensor> tensors;
  ConvertedFolder result;
  for (const encoder::TensorFile& file : encoder::read_tensor_files(weights)) {
    for (const auto& [name, tensor] : file.tensors()) {
      if (!encoder::is_float_type(tensor.dtype)) continue;
      std::vector<float>& numbers = values.emplace_back(tensor.elements());
      file.read(tensor, 0, numbers);
      tensors.push_back({todays_name(name), tensor.shape, numbers});
      result.weight_bytes += numbers.size() * sizeof(float);
    }
  }
  weights.require_unchanged();
  encoder::write_safetensors(path, tensors, {{"format", "pt"}});
  result.tensors = tensors.size();
  return result;
}

void write_config(const ModelFolder& model, const std::string& path) {
  const encoder::ConfigFile config = model.config();
  const std::string architecture = config.architecture();
  if (architecture.empty()) config.text("model_type");  // says that there is none
  const std::string name = fs::path(config.path()).filename().string();
  auto settings = nlohmann::ordered_json::parse(model.files().get(name));
  settings["model_type"] = architecture;
  if (settings.contains("dtype")) settings["dtype"] = "float32";
  if (settings.contains("torch_dtype")) settings["torch_dtype"] = "float32";
  write_whole_file(path, json_text(settings, 2) + "\n");
}

void copy_file(const std::string& from, std::string_view name, const fs::path& to) {
  const FolderFiles files(from, std::span(&name, 1));
  const std::string* const bytes = files.find(name);
  if (bytes == nullptr) return;
  make_folders((to / name).parent_path().string());
  write_whole_file((to / name).string(), *bytes);
}

void copy_tokenizer(const FolderFiles& tokenizer, const fs::path& to) {
  for (const std::string_view name : token::kTokenizerFiles) {
    if (name == encoder::kConfigName || name == encoder::kOldConfigName) continue;
    if (const std::string* const bytes = tokenizer.find(name)) write_whole_file((to / name).string(), *bytes);
  }
  for (const std::string_view name : kMoreTokenizerFiles) copy_file(tokenizer.folder(), name, to);
  // Whether texts are lowered may be seen from the old files only: from now on the settings say it.
  if (tokenizer.find("vocab.txt") != nullptr && tokenizer.find("tokenizer.json") == nullptr &&
      tokenizer.find("tokenizer_config.json") == nullptr) {
    const auto described = nlohmann::json::parse(token::describe_tokenizer(tokenizer).content);
    const nlohmann::json settings{{"do_lower_case", described["normalizer"]["lowercase"]}};
    write_whole_file((to / "tokenizer_config.json").string(), json_text(settings) + "\n");
  }
}

/// sentence-transformers' files. The transformer may have had a folder of its own (0_Transformer, as older
/// versions wrote them); now it is in `to` itself, as newer ones write it.
void write_modules(const std::string& from, const fs::path& to) {
  copy_file(from, "config_sentence_transformers.json", to);
  const FolderFiles files(from, std::span(&kModulesName, 1));
  const std::string* const text = files.find(kModulesName);
  if (text == nullptr) return;
  const std::vector<Module> modules = read_modules(files);
  auto list = nlohmann::ordered_json::parse(*text);
  for (std::size_t index = 0; index < modules.size(); ++index) {
    if (modules[index].kind == ModuleKind::transformer) list[index]["path"] = "";
    if (modules[index].kind == ModuleKind::pooling)
      copy_file(from, modules[index].folder + "/config.json", to);
  }
  write_whole_file((to / kModulesName).string(), json_text(list, 2) + "\n");
}

}  // namespace

ConvertedFolder convert_model(const std::string& from, const std::string& to) {
  const ModelFolder model(find_model(from));
  if (to.empty()) throw_usage("the folder to write has no name");
  std::error_code error;
  if (fs::exists(to, error)) throw_usage(to + ": is there already, expected the name of a new folder");
  model.weights();  // what is wrong with it shows before anything is written
  const std::string work = fs::path(to).lexically_normal().string() + ".partial";
  fs::remove_all(work, error);
  make_folders(work);
  try {
    ConvertedFolder result =
        write_weights(model.weights(), (fs::path(work) / encoder::kWeightsName).string());
    write_config(model, (fs::path(work) / encoder::kConfigName).string());
    copy_tokenizer(model.files(), work);
    write_modules(model.path(), work);
    fs::rename(work, to, error);
    if (error) throw_io(to, "make this folder", error.value());
    result.folder = to;
    return result;
  } catch (...) {
    fs::remove_all(work, error);
    throw;
  }
}

}  // namespace markeval::models
