#include "trainer/checkpoint/checkpoint_files.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/checkpoint_reader.hpp"
#include "trainer/checkpoint/file_names.hpp"
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

/// What a whole checkpoint must name; of a sharded one, state.json names the files.
constexpr std::array kFilesOfWhole{kModelFile, kOptimizerFile, kRngFile, kStateFile};

bool names_enough(const Manifest& manifest) {
  return manifest.format == CheckpointFormat::sharded ||
         std::ranges::all_of(kFilesOfWhole, [&](const char* name) { return manifest.files.contains(name); });
}

}  // namespace

void save_checkpoint_files(const path& folder, const TrainingState& state) {
  std::filesystem::create_directory(folder);
  FileSums sums;
  sums[kModelFile] = save_safetensors(folder / kModelFile, state.model);
  sums[kOptimizerFile] = save_safetensors(folder / kOptimizerFile, state.optimizer);
  sums[kRngFile] = save_safetensors(folder / kRngFile, named_by_rank(state.rng));
  if (!state.extra.empty()) sums[kExtraFile] = save_safetensors(folder / kExtraFile, state.extra);
  sums[kStateFile] = save_state_file(folder / kStateFile, state, {});
  save_manifest(folder, {.format = CheckpointFormat::whole, .files = sums});
}

FileSums save_shard_files(const path& folder, int rank, const StateRows& rows) {
  FileSums sums;
  const auto save = [&](std::string_view part, const std::vector<TensorRows>& pieces) {
    // PyTorch refuses a file without tensors when it consolidates the files.
    if (std::ranges::all_of(pieces, &TensorRows::is_empty_shard)) return;
    const std::string name = render_shard_name(rank, part);
    sums[name] = save_safetensors_shard(folder / name, pieces);
  };
  save(kModelPart, rows.model);
  save(kOptimizerPart, rows.optimizer);
  return sums;
}

void save_shared_files(const path& folder, const TrainingState& state, const FileSums& shards) {
  if (shards.empty()) throw std::invalid_argument("no rank has written a file of the checkpoint");
  FileSums sums = shards;
  std::vector<std::string> names;
  for (const auto& [name, sum] : shards) names.push_back(name);
  // Not save_safetensors(): PyTorch reads these, too, and wants to be told that they hold whole tensors.
  sums[kRngFile] = save_safetensors_shard(folder / kRngFile, whole_tensors(named_by_rank(state.rng)));
  if (!state.extra.empty())
    sums[kExtraFile] = save_safetensors_shard(folder / kExtraFile, whole_tensors(state.extra));
  sums[kStateFile] = save_state_file(folder / kStateFile, state, names);
  save_manifest(folder, {.format = CheckpointFormat::sharded, .files = sums});
}

TrainingState load_checkpoint_files(const path& folder) {
  return CheckpointReader(folder).load();
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
