#include "cli/checkpoint/tensor_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "trainer/data/files/safetensors_header.hpp"

namespace ddp::cli {
namespace {

using trainer::kManifestFile, trainer::render_tensor_file_name, trainer::TensorPart;
using Shape = std::vector<std::int64_t>;

/// A piece of a tensor as a header describes it.
struct FoundPiece {
  std::string file;
  trainer::TensorEntry entry;
};

/// All pieces of one tensor, in the order of the files.
struct FoundTensor {
  std::string name;
  std::vector<FoundPiece> pieces;
};

FileFault fault_of(const FoundPiece& piece, std::string_view what) {
  return {piece.file, fmt::format("holds a piece of tensor '{}' {}", piece.entry.name, what)};
}

bool all_zero(Shape::const_iterator begin, Shape::const_iterator end) {
  return std::all_of(begin, end, [](std::int64_t offset) { return offset == 0; });
}

/// A piece has rows of the whole tensor, and of each row everything.
std::optional<FileFault> check_piece(const FoundPiece& piece, const FoundPiece& first) {
  const Shape& shape = piece.entry.shape;
  if (piece.entry.dtype != first.entry.dtype || shape.size() != first.entry.shape.size())
    return fault_of(piece, "with another type or number of dimensions than in " + first.file);
  if (shape.empty()) return std::nullopt;
  const Shape& offsets = piece.entry.offsets;
  if (!all_zero(offsets.begin() + 1, offsets.end()) ||
      !std::equal(shape.begin() + 1, shape.end(), first.entry.shape.begin() + 1))
    return fault_of(piece, "that is not a number of whole rows");
  return std::nullopt;
}

TensorPiece rows_of(const FoundPiece& found) {
  const bool has_rows = !found.entry.shape.empty();
  return {.file = found.file,
          .row = has_rows ? found.entry.offsets.front() : 0,
          .rows = has_rows ? found.entry.shape.front() : 1,
          .begin = found.entry.begin,
          .end = found.entry.end};
}

/// Of pieces in the order of their rows.
std::optional<FileFault> check_cover(const std::string& tensor, const std::vector<TensorPiece>& pieces) {
  std::int64_t next = 0;
  for (const auto& piece : pieces) {
    if (piece.row < next)
      return FileFault{piece.file, fmt::format("holds rows of tensor '{}' that another shard holds, too: "
                                               "row {}",
                                               tensor, piece.row)};
    if (piece.row > next)
      return FileFault{piece.file, fmt::format("holds rows of tensor '{}' from {} on, but no shard holds "
                                               "rows {} to {}",
                                               tensor, piece.row, next, piece.row - 1)};
    next = piece.row + piece.rows;
  }
  return std::nullopt;
}

/// Reads headers, and puts tensors together.
class Assembly {
 public:
  explicit Assembly(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add_file(const std::string& name) {
    auto entries = trainer::read_safetensors_header(folder_ / name);
    if (!entries) return add_fault(name, entries.error());
    for (auto& entry : *entries) add_piece(name, std::move(entry));
  }

  /// Where a file is missing or damaged, each tensor would lack rows: only the file is told.
  void put_together(TensorSet& set) {
    for (auto& found : found_) {
      if (!set.faults.empty() || !file_faults_.empty()) break;
      if (auto tensor = put_together(std::move(found))) set.tensors.push_back(std::move(*tensor));
    }
    for (auto* faults : {&file_faults_, &tensor_faults_})
      set.faults.insert(set.faults.end(), faults->begin(), faults->end());
  }

 private:
  /// The messages of the readers name the path, which the fault has already.
  void add_fault(const std::string& file, std::string what) {
    const auto quoted = "'" + (folder_ / file).string() + "' ";
    if (what.starts_with(quoted)) what.erase(0, quoted.size());
    file_faults_.push_back({file, what.starts_with("is ") ? std::move(what) : "is damaged: " + what});
  }

  void add_piece(const std::string& file, trainer::TensorEntry entry) {
    const auto [place, is_new] = places_.emplace(entry.name, found_.size());
    if (is_new) found_.push_back({entry.name, {}});
    found_[place->second].pieces.push_back({file, std::move(entry)});
  }

  std::optional<WholeTensor> put_together(FoundTensor found) {
    for (const auto& piece : found.pieces) {
      if (auto fault = check_piece(piece, found.pieces.front())) {
        tensor_faults_.push_back(std::move(*fault));
        return std::nullopt;
      }
    }
    WholeTensor tensor{.name = found.name,
                       .dtype = found.pieces.front().entry.dtype,
                       .shape = found.pieces.front().entry.shape,
                       .pieces = {}};
    for (const auto& piece : found.pieces) tensor.pieces.push_back(rows_of(piece));
    std::ranges::stable_sort(tensor.pieces, {}, [](const TensorPiece& piece) {
      return std::pair(piece.row, piece.rows);  // one without rows comes first
    });
    if (auto fault = check_cover(found.name, tensor.pieces)) {
      tensor_faults_.push_back(std::move(*fault));
      return std::nullopt;
    }
    if (!tensor.shape.empty()) tensor.shape.front() = tensor.pieces.back().row + tensor.pieces.back().rows;
    return tensor;
  }

  std::filesystem::path folder_;
  std::vector<FoundTensor> found_;
  std::unordered_map<std::string, std::size_t> places_;  // in found_, by name
  std::vector<FileFault> file_faults_;
  std::vector<FileFault> tensor_faults_;
};

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

std::uint64_t WholeTensor::bytes() const {
  return std::accumulate(
      pieces.begin(), pieces.end(), std::uint64_t{0},
      [](std::uint64_t sum, const TensorPiece& piece) { return sum + (piece.end - piece.begin); });
}

std::uint64_t WholeTensor::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1},
                         [](std::uint64_t product, std::int64_t extent) {
                           return product * static_cast<std::uint64_t>(extent);
                         });
}

std::uint64_t TensorSet::bytes() const {
  return std::accumulate(tensors.begin(), tensors.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const WholeTensor& tensor) { return sum + tensor.bytes(); });
}

TensorSet load_tensor_set(const std::filesystem::path& folder, const trainer::FileSums& files,
                          TensorPart part) {
  TensorSet set{.part = part, .shards = 0, .files = {}, .tensors = {}, .faults = {}};
  const auto shards = shards_in(files, part);
  check_shards(shards, set);
  set.shards = shards.empty() ? 0 : shards.back();
  Assembly assembly(folder);
  for (const int shard : shards) {
    set.files.push_back(render_tensor_file_name({part, shard}));
    assembly.add_file(set.files.back());
  }
  assembly.put_together(set);
  return set;
}

}  // namespace ddp::cli
