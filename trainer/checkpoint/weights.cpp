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

#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/latest_checkpoint.hpp"
#include "trainer/checkpoint/checkpoint_reader.hpp"
#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/checkpoint/format/weights_place.hpp"
#include "trainer/checkpoint/text_file.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

/// The file of each tensor, as the index of a model of Hugging Face names it.
using WeightMap = std::map<std::string, std::string>;

WeightMap load_weight_map(const path& index) {
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error("'" + index.string() + "' is not a valid index of safetensors files: " + why);
  };
  const auto value = parse_json(load_text(index).first);
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
  const WeightMap map = load_weight_map(folder / kWeightsIndex);
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
                               kWeightsIndex + "' says so");
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

/// Of a folder that is no checkpoint.
TensorFiles open_folder(const path& folder) {
  if (std::filesystem::exists(folder / kWeightsIndex)) return open_indexed(folder);
  const std::string whole = render_tensor_file_name({TensorPart::model});
  if (path file = folder / whole; std::filesystem::exists(file)) return TensorFiles({std::move(file)});
  return TensorFiles(list_model_shards(folder));
}

}  // namespace

TensorFiles open_weights(const path& place) {
  const path found = find_weights(place);
  if (const std::string missing = describe_missing_weights(found); !missing.empty()) throw NoWeights(missing);
  if (!std::filesystem::is_directory(found)) return TensorFiles({found});
  if (is_checkpoint(found)) return std::move(CheckpointReader(found)).take_model();
  return open_folder(found);
}

NamedTensors load_weights(const path& place) {
  const path found = find_weights(place);
  if (is_checkpoint(found)) return CheckpointReader(found).load_model();
  return open_weights(found).read_all().tensors;
}

}  // namespace ddp::trainer
