#include "trainer/checkpoint/checkpoint_files.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainer/checkpoint/checkpoint_reader.hpp"
#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/checkpoint/manifest_file.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/checkpoint/state_file.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

NamedTensors named_by_rank(const std::vector<torch::Tensor>& rng) {
  NamedTensors named;
  for (std::size_t rank = 0; rank < rng.size(); ++rank)
    named.emplace_back("rank-" + std::to_string(rank), rng[rank]);
  return named;
}

/// What a whole checkpoint has, too, if there is nothing in it.
constexpr std::array kPartsOfWhole{TensorPart::model, TensorPart::optimizer, TensorPart::rng};

/// Of a sharded one, state.json names the files.
bool names_enough(const Manifest& manifest) {
  if (manifest.format == CheckpointFormat::sharded) return true;
  const auto is_named = [&](TensorPart part) {
    return manifest.files.contains(render_tensor_file_name({part}));
  };
  return manifest.files.contains(kStateFile) && std::ranges::all_of(kPartsOfWhole, is_named);
}

}  // namespace

void save_checkpoint_files(const path& folder, const TrainingState& state) {
  std::filesystem::create_directory(folder);
  FileSums sums;
  const auto save = [&](TensorPart part, const NamedTensors& tensors) {
    const std::string name = render_tensor_file_name({part});
    sums[name] = save_safetensors(folder / name, tensors);
  };
  save(TensorPart::model, state.model);
  save(TensorPart::optimizer, state.optimizer);
  save(TensorPart::rng, named_by_rank(state.rng));
  if (!state.extra.empty()) save(TensorPart::extra, state.extra);
  sums[kStateFile] = save_state_file(folder / kStateFile, state, {});
  save_manifest(folder, {.format = CheckpointFormat::whole, .files = sums});
}

FileSums save_shard_files(const path& folder, int rank, const StateRows& rows) {
  FileSums sums;
  const auto save = [&](TensorPart part, const std::vector<TensorRows>& pieces) {
    // PyTorch refuses a file without tensors when it consolidates the files.
    if (std::ranges::all_of(pieces, &TensorRows::is_empty_shard)) return;
    const std::string name = render_shard_name(rank, part);
    sums[name] = save_safetensors_shard(folder / name, pieces);
  };
  save(TensorPart::model, rows.model);
  save(TensorPart::optimizer, rows.optimizer);
  return sums;
}

void save_shared_files(const path& folder, const TrainingState& state, const FileSums& shards) {
  if (shards.empty()) throw std::invalid_argument("no rank has written a file of the checkpoint");
  FileSums sums = shards;
  std::vector<std::string> names;
  for (const auto& [name, sum] : shards) names.push_back(name);
  // Not save_safetensors(): PyTorch reads these, too, and wants to be told that they hold whole tensors.
  const auto save = [&](TensorPart part, const NamedTensors& tensors) {
    const std::string name = render_tensor_file_name({part});
    sums[name] = save_safetensors_shard(folder / name, whole_tensors(tensors));
  };
  save(TensorPart::rng, named_by_rank(state.rng));
  if (!state.extra.empty()) save(TensorPart::extra, state.extra);
  sums[kStateFile] = save_state_file(folder / kStateFile, state, names);
  save_manifest(folder, {.format = CheckpointFormat::sharded, .files = sums});
}

TrainingState load_checkpoint_files(const path& folder) {
  const CheckpointReader reader(folder);
  try {
    return reader.load();
  } catch (const std::exception&) {
    if (reader.is_deleted()) throw std::runtime_error(describe_deletion(folder));
    throw;
  }
}

std::string load_or_fault(const path& folder, std::optional<TrainingState>& state) try {
  state = load_checkpoint_files(folder);
  return {};
} catch (const std::exception& error) {
  return error.what();
}

bool looks_complete(const path& folder) try {
  const Manifest manifest = load_manifest(folder);
  return names_enough(manifest) && std::ranges::all_of(manifest.files, [&](const auto& file) {
           return std::filesystem::file_size(folder / file.first) == file.second.size;
         });
} catch (const std::exception&) {
  return false;
}

}  // namespace ddp::trainer
