#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "trainer/checkpoint/checked_file.hpp"
#include "trainer/checkpoint/format/joined_tensors.hpp"
#include "trainer/checkpoint/training_state.hpp"
#include "trainer/data/files/open_file.hpp"

namespace ddp::trainer {

/// A tensor that lies in one or several files.
struct StoredTensor {
  std::string name;
  torch::ScalarType type = torch::kFloat32;
  std::vector<std::int64_t> shape;  ///< of the whole tensor
  /// In the order of the rows, each of which is in one piece. Their files are those of TensorFiles::files().
  std::vector<TensorPiece> pieces;

  /// 1 without dimensions.
  [[nodiscard]] std::int64_t rows() const { return shape.empty() ? 1 : shape.front(); }
  [[nodiscard]] std::size_t bytes_of_row() const;
};

/// The tensors of safetensors files, which hold them whole or in pieces of rows, as those of a sharded
/// checkpoint do. Any rows can be read, and nothing else is read for them. Used by one thread at a time.
class TensorFiles {
 public:
  /// What read_all() gives.
  struct Read {
    NamedTensors tensors;       ///< whole ones on the CPU, in the order of tensors()
    std::vector<FileSum> sums;  ///< of files()
  };

  TensorFiles() = default;

  /// Reads the headers of `files`, which nobody vouches for. Throws std::runtime_error that names the file
  /// when one of them is none, and when the files do not have each row of each tensor exactly once.
  explicit TensorFiles(std::vector<std::filesystem::path> files);

  /// The same files, whose headers somebody else has read: `tensors` are those of tensors() there. Opens none
  /// of them until its rows are read.
  TensorFiles(std::vector<std::filesystem::path> files, std::vector<StoredTensor> tensors);

  [[nodiscard]] const std::vector<std::filesystem::path>& files() const { return files_; }

  /// As the headers of the files name them, one file after the other.
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const { return tensors_; }

  /// nullptr when there is none of that name.
  [[nodiscard]] const StoredTensor* find(const std::string& name) const;

  /// Rows [begin, end) of the tensor `name`, on the CPU. Throws std::invalid_argument when it has not those
  /// rows, std::out_of_range when there is no such tensor, std::runtime_error when the disk refuses.
  [[nodiscard]] torch::Tensor read_rows(const std::string& name, std::int64_t begin, std::int64_t end) const;

  /// The whole tensor. Throws like read_rows().
  [[nodiscard]] torch::Tensor read(const std::string& name) const;

  /// All tensors. Each file is read once, from its start to its end, and summed. Throws std::runtime_error.
  [[nodiscard]] Read read_all() const;

 private:
  void add(StoredTensor tensor);
  [[nodiscard]] StoredTensor stored(JoinedTensor tensor) const;
  [[nodiscard]] const OpenFile& open(std::size_t file) const;
  void place_piece(std::size_t file, const StoredTensor& tensor, const torch::Tensor& piece,
                   torch::Tensor& whole) const;

  std::vector<std::filesystem::path> files_;
  std::vector<StoredTensor> tensors_;
  std::map<std::string, std::size_t> places_;  // of the names in tensors_
  mutable std::map<std::size_t, OpenFile> open_;
};

}  // namespace ddp::trainer
