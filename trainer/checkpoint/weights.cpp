#include "trainer/checkpoint/weights.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "jobenv/record/latest_checkpoint.hpp"
#include "trainer/checkpoint/checkpoint_reader.hpp"
#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/checkpoint/text_file.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

constexpr const char* kIndex = "model.safetensors.index.json";
constexpr const char* kPickledIndex = ".metadata";  // of what PyTorch's FileSystemWriter writes

/// The file of each tensor, as the index of a model of Hugging Face names it.
using WeightMap = std::map<std::string, std::string>;

WeightMap load_weight_map(const path& index) {
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error("'" + index.string() + "' is not a valid index of safetensors files: " + why);
  };
  const auto value = nlohmann::json::parse(load_text(index).first, nullptr, false);
  if (!value.is_object()) refuse("it is not a JSON object");
  const auto found = value.find("weight_map");
  if (found == value.end() || !found->is_object() || found->empty()) refuse("it has no weight_map");
  WeightMap map;
  for (const auto& [tensor, file] : found->items()) {
    if (!file.is_string() || !is_name_in_folder(file.get_ref<const std::string&>()))
      refuse("the file of tensor '" + tensor + "' is not the name of a file beside it");
    map.emplace(tensor, file.get<std::string>());
  }
  return map;
}

TensorFiles open_indexed(const path& folder) {
  const WeightMap map = load_weight_map(folder / kIndex);
  std::set<std::string> names;
  for (const auto& [tensor, file] : map) names.insert(file);
  std::vector<path> files;
  for (const auto& name : names) files.push_back(folder / name);
  TensorFiles weights(std::move(files));
  for (const auto& [tensor, file] : map) {
    const StoredTensor* stored = weights.find(tensor);
    const auto is_there = [&](const auto& piece) { return weights.files()[piece.file].filename() == file; };
    if (stored == nullptr || std::ranges::none_of(stored->pieces, is_there)) {
      throw std::runtime_error("'" + (folder / file).string() + "' has no tensor '" + tensor + "', but '" +
                               kIndex + "' says so");
    }
  }
  return weights;
}

/// The shards of a model, in the order of the ranks.
std::vector<path> list_model_shards(const path& folder) {
  std::vector<path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (is_shard_name(entry.path().filename().string(), TensorPart::model)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

[[noreturn]] void refuse_folder(const path& folder, const std::string& whole) {
  const std::string place = "'" + folder.string() + "' ";
  if (std::filesystem::exists(folder / kPickledIndex)) {
    throw std::runtime_error(place +
                             "contains a checkpoint in the .distcp format of PyTorch, which ddptrain does "
                             "not read; load it in Python and save it with HuggingFaceStorageWriter: "
                             "docs/checkpoints.md has an example");
  }
  throw std::runtime_error(place + "contains no weights: neither " + whole + ", nor " + kIndex +
                           ", nor files shard-*-model-*.safetensors");
}

/// Of a folder that is no checkpoint.
TensorFiles open_folder(const path& folder) {
  if (std::filesystem::exists(folder / kIndex)) return open_indexed(folder);
  const std::string whole = render_tensor_file_name({TensorPart::model});
  if (path file = folder / whole; std::filesystem::exists(file)) return TensorFiles({std::move(file)});
  std::vector<path> shards = list_model_shards(folder);
  if (shards.empty()) refuse_folder(folder, whole);
  return TensorFiles(std::move(shards));
}

}  // namespace

TensorFiles open_weights(const path& place) {
  if (!std::filesystem::is_directory(place)) return TensorFiles({place});
  if (is_checkpoint(place)) return std::move(CheckpointReader(place)).take_model();
  return open_folder(place);
}

NamedTensors load_weights(const path& place) {
  if (is_checkpoint(place)) return CheckpointReader(place).load_model();
  return open_weights(place).read_all().tensors;
}

}  // namespace ddp::trainer
