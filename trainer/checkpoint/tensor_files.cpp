#include "trainer/checkpoint/tensor_files.hpp"

#include <ATen/ops/empty.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "ddp/jobenv/own_progress.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/data/files/safetensors_header.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

/// So that a long read is seen to go on.
constexpr std::size_t kReadPart = std::size_t{1} << 20;
/// More ranks may have written a checkpoint than a process may have files open.
constexpr std::size_t kMaxOpenFiles = 16;

std::string quote_path(const path& file) {
  return "'" + file.string() + "'";
}

[[noreturn]] void refuse_changed(const path& file) {
  throw std::runtime_error(quote_path(file) + " has changed while it was read");
}

std::vector<TensorHeader> read_headers(const std::vector<path>& files) {
  std::vector<TensorHeader> headers;
  for (const path& file : files) {
    auto entries = read_safetensors_header(file);
    if (!entries) throw std::runtime_error(quote_path(file) + " " + entries.error());
    headers.push_back({quote_path(file), std::move(*entries)});
    count_part();
  }
  return headers;
}

/// Whether they may be of one tensor.
bool differs_in_rows_alone(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  return a.size() == b.size() && (a.empty() || std::equal(a.begin() + 1, a.end(), b.begin() + 1));
}

std::string render_rows(std::int64_t begin, std::int64_t end) {
  return "rows [" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

void read_counted(const OpenFile& file, std::uint64_t at, std::span<std::uint8_t> into) {
  while (!into.empty()) {
    const auto part = into.first(std::min(into.size(), kReadPart));
    file.read(at, part);
    count_part();
    at += part.size();
    into = into.subspan(part.size());
  }
}

std::uint8_t* row_of(const torch::Tensor& tensor, std::int64_t row, std::size_t bytes_of_row) {
  return static_cast<std::uint8_t*>(tensor.data_ptr()) + static_cast<std::size_t>(row) * bytes_of_row;
}

}  // namespace

std::size_t StoredTensor::bytes_of_row() const {
  std::size_t bytes = c10::elementSize(type);
  for (std::size_t i = 1; i < shape.size(); ++i) bytes *= static_cast<std::size_t>(shape[i]);
  return bytes;
}

TensorFiles::TensorFiles(std::vector<path> files) : files_(std::move(files)) {
  JoinedTensors joined = join_tensors(read_headers(files_));
  if (!joined.faults.empty()) throw std::runtime_error(render_fault(joined.faults.front()));
  for (JoinedTensor& tensor : joined.tensors) add(stored(std::move(tensor)));
}

TensorFiles::TensorFiles(std::vector<path> files, std::vector<StoredTensor> tensors)
    : files_(std::move(files)) {
  for (StoredTensor& tensor : tensors) add(std::move(tensor));
}

void TensorFiles::add(StoredTensor tensor) {
  places_.emplace(tensor.name, tensors_.size());
  tensors_.push_back(std::move(tensor));
}

StoredTensor TensorFiles::stored(JoinedTensor tensor) const {
  const auto type = scalar_type_of(tensor.dtype);
  if (!type) {
    throw std::runtime_error(quote_path(files_[tensor.pieces.front().file]) + " cannot be used: tensor '" +
                             tensor.name + "' has type " + tensor.dtype + ", which is not supported");
  }
  return {.name = std::move(tensor.name),
          .type = *type,
          .shape = std::move(tensor.shape),
          .pieces = std::move(tensor.pieces)};
}

const StoredTensor* TensorFiles::find(const std::string& name) const {
  const auto place = places_.find(name);
  return place == places_.end() ? nullptr : &tensors_[place->second];
}

const OpenFile& TensorFiles::open(std::size_t file) const {
  if (open_.size() >= kMaxOpenFiles && !open_.contains(file)) open_.clear();
  return open_.try_emplace(file, files_[file]).first->second;
}

torch::Tensor TensorFiles::read_rows(const std::string& name, std::int64_t begin, std::int64_t end) const {
  const StoredTensor* tensor = find(name);
  if (tensor == nullptr) throw std::out_of_range("there is no tensor '" + name + "'");
  if (begin < 0 || begin > end || end > tensor->rows()) {
    throw std::invalid_argument("tensor '" + name + "' has " + std::to_string(tensor->rows()) +
                                " rows, not " + render_rows(begin, end));
  }
  std::vector<std::int64_t> shape = tensor->shape;
  if (!shape.empty()) shape.front() = end - begin;
  torch::Tensor rows = at::empty(shape, tensor->type);
  const std::size_t bytes_of_row = tensor->bytes_of_row();
  for (const auto& piece : tensor->pieces) {
    const std::int64_t from = std::max(begin, piece.first);
    const std::int64_t to = std::min(end, piece.first + piece.rows);
    if (from >= to || bytes_of_row == 0) continue;
    const std::uint64_t at = piece.begin + static_cast<std::uint64_t>(from - piece.first) * bytes_of_row;
    read_counted(
        open(piece.file), at,
        {row_of(rows, from - begin, bytes_of_row), static_cast<std::size_t>(to - from) * bytes_of_row});
  }
  return rows;
}

torch::Tensor TensorFiles::read(const std::string& name) const {
  const StoredTensor* tensor = find(name);
  return read_rows(name, 0, tensor == nullptr ? 0 : tensor->rows());
}

/// `whole` takes the rows of `piece`, or is `piece` if that is all.
void TensorFiles::place_piece(std::size_t file, const StoredTensor& tensor, const torch::Tensor& piece,
                              torch::Tensor& whole) const {
  const auto known = std::ranges::find(tensor.pieces, file, &TensorPiece::file);
  const std::vector<std::int64_t> sizes = piece.sizes().vec();
  if (known == tensor.pieces.end() || piece.scalar_type() != tensor.type ||
      !differs_in_rows_alone(sizes, tensor.shape) || (!sizes.empty() && sizes.front() != known->rows))
    refuse_changed(files_[file]);
  if (known->rows == tensor.rows()) {
    whole = piece;
    return;
  }
  if (!whole.defined()) whole = at::empty(tensor.shape, tensor.type);
  whole.narrow(0, known->first, known->rows).copy_(piece);
}

TensorFiles::Read TensorFiles::read_all() const {
  Read read;
  std::vector<std::size_t> expected(files_.size());
  for (const StoredTensor& tensor : tensors_) {
    read.tensors.emplace_back(tensor.name, torch::Tensor());
    for (const auto& piece : tensor.pieces) ++expected[piece.file];
  }
  for (std::size_t file = 0; file < files_.size(); ++file) {
    const LoadedTensors loaded = load_safetensors(files_[file]);
    if (loaded.tensors.size() != expected[file]) refuse_changed(files_[file]);
    for (const auto& [name, piece] : loaded.tensors) {
      const auto place = places_.find(name);
      if (place == places_.end()) refuse_changed(files_[file]);
      place_piece(file, tensors_[place->second], piece, read.tensors[place->second].second);
    }
    read.sums.push_back(loaded.sum);
  }
  return read;
}

}  // namespace ddp::trainer
