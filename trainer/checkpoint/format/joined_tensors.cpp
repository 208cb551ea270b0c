#include "trainer/checkpoint/format/joined_tensors.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace ddp::trainer {
namespace {

using Shape = std::vector<std::int64_t>;

/// A piece of a tensor as a header describes it.
struct FoundPiece {
  std::size_t file = 0;
  const TensorEntry* entry = nullptr;
};

/// All pieces of one tensor, in the order of the files.
using FoundPieces = std::vector<FoundPiece>;

/// Of all tensors, in the order of the first header that has them.
std::vector<FoundPieces> find_pieces(const std::vector<TensorHeader>& headers) {
  std::vector<FoundPieces> tensors;
  std::unordered_map<std::string, std::size_t> places;  // in `tensors`, by name
  for (std::size_t file = 0; file < headers.size(); ++file) {
    for (const TensorEntry& entry : headers[file].entries) {
      const auto [place, is_new] = places.emplace(entry.name, tensors.size());
      if (is_new) tensors.emplace_back();
      tensors[place->second].push_back({file, &entry});
    }
  }
  return tensors;
}

bool all_zero(Shape::const_iterator begin, Shape::const_iterator end) {
  return std::all_of(begin, end, [](std::int64_t offset) { return offset == 0; });
}

TensorPiece rows_of(const FoundPiece& found) {
  const bool has_rows = !found.entry->shape.empty();
  return {.file = found.file,
          .first = has_rows ? found.entry->offsets.front() : 0,
          .rows = has_rows ? found.entry->shape.front() : 1,
          .begin = found.entry->begin,
          .end = found.entry->end};
}

/// Puts one tensor together.
class Join {
 public:
  Join(const std::vector<TensorHeader>& headers, const FoundPieces& found)
      : headers_(headers), found_(found), first_(*found.front().entry) {}

  [[nodiscard]] std::optional<FileFault> check_pieces() const {
    for (const FoundPiece& piece : found_) {
      if (auto fault = check_piece(piece)) return fault;
    }
    return std::nullopt;
  }

  [[nodiscard]] JoinedTensor join() const {
    JoinedTensor tensor{.name = first_.name, .dtype = first_.dtype, .shape = first_.shape, .pieces = {}};
    for (const FoundPiece& piece : found_) tensor.pieces.push_back(rows_of(piece));
    std::ranges::stable_sort(tensor.pieces, {}, [](const TensorPiece& piece) {
      return std::pair(piece.first, piece.rows);  // one without rows comes first
    });
    if (!tensor.shape.empty()) tensor.shape.front() = tensor.pieces.back().first + tensor.pieces.back().rows;
    return tensor;
  }

  [[nodiscard]] std::optional<FileFault> check_cover(const JoinedTensor& tensor) const {
    std::int64_t next = 0;
    for (const TensorPiece& piece : tensor.pieces) {
      if (piece.first < next)
        return fault_of(piece.file, "rows",
                        "that another shard holds, too: row " + std::to_string(piece.first));
      if (piece.first > next)
        return fault_of(piece.file, "rows",
                        "from " + std::to_string(piece.first) + " on, but no shard holds rows " +
                            std::to_string(next) + " to " + std::to_string(piece.first - 1));
      next = piece.first + piece.rows;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] FileFault fault_of(std::size_t file, const std::string& held, const std::string& what) const {
    return {headers_[file].file, "holds " + held + " of tensor '" + first_.name + "' " + what};
  }

  /// A piece has rows of the whole tensor, and of each row everything.
  [[nodiscard]] std::optional<FileFault> check_piece(const FoundPiece& piece) const {
    const Shape& shape = piece.entry->shape;
    if (piece.entry->dtype != first_.dtype || shape.size() != first_.shape.size())
      return fault_of(
          piece.file, "a piece",
          "with another type or number of dimensions than in " + headers_[found_.front().file].file);
    if (shape.empty()) return std::nullopt;
    const Shape& offsets = piece.entry->offsets;
    if (!all_zero(offsets.begin() + 1, offsets.end()) ||
        !std::equal(shape.begin() + 1, shape.end(), first_.shape.begin() + 1))
      return fault_of(piece.file, "a piece", "that is not a number of whole rows");
    return std::nullopt;
  }

  const std::vector<TensorHeader>& headers_;
  const FoundPieces& found_;
  const TensorEntry& first_;
};

}  // namespace

std::uint64_t JoinedTensor::bytes() const {
  return std::accumulate(
      pieces.begin(), pieces.end(), std::uint64_t{0},
      [](std::uint64_t sum, const TensorPiece& piece) { return sum + (piece.end - piece.begin); });
}

std::uint64_t JoinedTensor::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1},
                         [](std::uint64_t product, std::int64_t extent) {
                           return product * static_cast<std::uint64_t>(extent);
                         });
}

JoinedTensors join_tensors(const std::vector<TensorHeader>& headers) {
  JoinedTensors joined;
  for (const FoundPieces& found : find_pieces(headers)) {
    const Join join(headers, found);
    auto fault = join.check_pieces();
    if (!fault) {
      auto tensor = join.join();
      fault = join.check_cover(tensor);
      if (!fault) joined.tensors.push_back(std::move(tensor));
    }
    if (fault) joined.faults.push_back(std::move(*fault));
  }
  return joined;
}

}  // namespace ddp::trainer
