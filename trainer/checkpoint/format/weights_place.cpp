#include "trainer/checkpoint/format/weights_place.hpp"

#include <algorithm>
#include <system_error>

#include "jobenv/record/latest_checkpoint.hpp"
#include "trainer/checkpoint/format/file_names.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

constexpr const char* kPickledIndex = ".metadata";  // of what PyTorch's FileSystemWriter writes

bool is_there(const path& place) {
  std::error_code error;
  return std::filesystem::exists(place, error);
}

bool has_shards(const path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) return false;
  return std::ranges::any_of(entries, [](const auto& entry) {
    return is_shard_name(entry.path().filename().string(), TensorPart::model);
  });
}

bool holds_weights(const path& folder) {
  return is_checkpoint(folder) || is_there(folder / kWeightsIndex) ||
         is_there(folder / render_tensor_file_name({TensorPart::model})) || has_shards(folder);
}

/// A file of weights may be large: only a file of this name is read as one that names a checkpoint.
bool is_pointer(const path& file) {
  return file.filename() == "LATEST" || file.filename() == "BEST";
}

bool is_folder(const path& place) {
  std::error_code error;
  return std::filesystem::is_directory(place, error);
}

}  // namespace

path find_weights(const path& place) {
  const bool stands_for_checkpoint = is_folder(place) ? !holds_weights(place) : is_pointer(place);
  if (!stands_for_checkpoint) return place;
  return find_checkpoint(place).value_or(place);
}

std::string describe_missing_weights(const path& place) {
  const path found = find_weights(place);
  const std::string name = "'" + found.string() + "' ";
  if (!is_folder(found)) return is_pointer(found) ? name + "points to a checkpoint that does not exist" : "";
  if (holds_weights(found)) return {};
  if (is_there(found / kPickledIndex))
    return name +
           "contains a checkpoint in the .distcp format of PyTorch, which ddptrain does not read; load it in "
           "Python and save it with HuggingFaceStorageWriter: docs/checkpoints.md has an example";
  return name + "contains no weights: neither " + render_tensor_file_name({TensorPart::model}) + ", nor " +
         kWeightsIndex + ", nor files shard-*-model-*.safetensors, nor checkpoints of a run";
}

}  // namespace ddp::trainer
