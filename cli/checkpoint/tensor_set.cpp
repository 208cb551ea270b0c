#include "cli/checkpoint/tensor_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "trainer/data/files/safetensors_header.hpp"

namespace ddp::cli {
namespace {

using trainer::kManifestFile, trainer::render_tensor_file_name, trainer::TensorPart;

/// The shards that the manifest names, ascending; 0 for a file with the whole part.
std::vector<int> shards_in(const trainer::FileSums& files, TensorPart part) {
  std::vector<int> shards;
  for (const auto& [file, sum] : files) {
    const auto name = trainer::parse_tensor_file_name(file);
    if (name && name->part == part) shards.push_back(name->shard);
  }
  std::ranges::sort(shards);
  return shards;
}

/// A part is one file, or its shards 1 to N.
void check_shards(const std::vector<int>& shards, TensorSet& set) {
  const bool has_whole = !shards.empty() && shards.front() == 0;
  if (has_whole && shards.size() > 1)
    set.faults.push_back({kManifestFile, fmt::format("names {} and shards of it, too",
                                                     render_tensor_file_name({set.part, 0}))});
  int expected = has_whole ? 0 : 1;
  for (const int shard : shards) {
    if (shard > expected)
      set.faults.push_back({kManifestFile, "does not name " + render_tensor_file_name({set.part, expected})});
    expected = shard + 1;
  }
}

}  // namespace

std::uint64_t TensorSet::bytes() const {
  return std::accumulate(
      tensors.begin(), tensors.end(), std::uint64_t{0},
      [](std::uint64_t sum, const trainer::JoinedTensor& tensor) { return sum + tensor.bytes(); });
}

TensorSet load_tensor_set(const std::filesystem::path& folder, const trainer::FileSums& files,
                          TensorPart part) {
  TensorSet set{.part = part, .shards = 0, .files = {}, .tensors = {}, .faults = {}};
  const auto shards = shards_in(files, part);
  check_shards(shards, set);
  set.shards = shards.empty() ? 0 : shards.back();
  std::vector<trainer::TensorHeader> headers;
  for (const int shard : shards) {
    const auto& file = set.files.emplace_back(render_tensor_file_name({part, shard}));
    auto entries = trainer::read_safetensors_header(folder / file);
    if (entries)
      headers.push_back({file, std::move(*entries)});
    else
      set.faults.push_back({file, entries.error()});
  }
  // Where a file is missing or damaged, each tensor would lack rows: only the file is told.
  if (!set.faults.empty()) return set;
  auto joined = trainer::join_tensors(headers);
  set.tensors = std::move(joined.tensors);
  set.faults = std::move(joined.faults);
  return set;
}

}  // namespace ddp::cli
