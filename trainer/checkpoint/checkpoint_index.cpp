#include "trainer/checkpoint/checkpoint_index.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/checkpoint/format/manifest.hpp"
#include "trainer/checkpoint/manifest_file.hpp"
#include "trainer/checkpoint/state_file.hpp"
#include "trainer/checkpoint/text_file.hpp"

namespace ddp::trainer {
namespace {

using nlohmann::json;
using std::filesystem::path;

/// Before anything of the file is read.
void check_size(const path& file, const FileSum& expected) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) throw std::runtime_error("cannot read '" + file.string() + "': " + error.message());
  if (size == expected.size) return;
  throw std::runtime_error("'" + file.string() + "' does not match its manifest: it has " +
                           std::to_string(size) + " bytes, not " + std::to_string(expected.size));
}

/// Of one folder, whose manifest.json is read.
class IndexReader {
 public:
  IndexReader(const path& folder, std::string manifest)
      : folder_(folder), text_(std::move(manifest)), manifest_(parse_manifest_of(folder, text_)) {}

  [[nodiscard]] CheckpointIndex read() const {
    const path file = folder_ / kStateFile;
    const auto [state_text, sum] = load_text(file);
    check_sum(file, sum, sum_of(manifest_, folder_, kStateFile));
    const StateFile state = parse_state_of(folder_, state_text);
    return {.manifest = text_,
            .state = state_text,
            .model = read_part(TensorPart::model, state),
            .optimizer = read_part(TensorPart::optimizer, state),
            .rng = read_headers({render_tensor_file_name({TensorPart::rng})}),
            // state.json is summed, the names in the manifest are not.
            .extra = state.extra_tensors > 0 ? read_headers({render_tensor_file_name({TensorPart::extra})})
                                             : TensorIndex()};
  }

 private:
  [[nodiscard]] TensorIndex read_part(TensorPart part, const StateFile& state) const {
    if (manifest_.format == CheckpointFormat::whole) return read_headers({render_tensor_file_name({part})});
    if (state.shard_files.empty())
      throw std::runtime_error("'" + (folder_ / kStateFile).string() + "' names no files of the ranks");
    std::vector<std::string> names;
    std::ranges::copy_if(state.shard_files, std::back_inserter(names),
                         [part](const std::string& name) { return is_shard_name(name, part); });
    return read_headers(std::move(names));
  }

  [[nodiscard]] TensorIndex read_headers(std::vector<std::string> names) const {
    std::vector<path> files;
    for (const std::string& name : names) {
      files.push_back(folder_ / name);
      check_size(files.back(), sum_of(manifest_, folder_, name));
    }
    return {.files = std::move(names), .tensors = TensorFiles(std::move(files)).tensors()};
  }

  const path& folder_;
  std::string text_;
  Manifest manifest_;
};

/// There may be a piece of each tensor for each rank: a flat list of numbers.
constexpr std::size_t kNumbersOfPiece = 5;

json pieces_to_json(const std::vector<TensorPiece>& pieces) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(pieces.size() * kNumbersOfPiece);
  for (const TensorPiece& piece : pieces) {
    numbers.insert(numbers.end(), {piece.file, static_cast<std::uint64_t>(piece.first),
                                   static_cast<std::uint64_t>(piece.rows), piece.begin, piece.end});
  }
  return numbers;
}

std::vector<TensorPiece> pieces_from_json(const json& numbers) {
  std::vector<TensorPiece> pieces;
  pieces.reserve(numbers.size() / kNumbersOfPiece);
  for (std::size_t at = 0; at + kNumbersOfPiece <= numbers.size(); at += kNumbersOfPiece) {
    pieces.push_back({.file = numbers[at].get<std::size_t>(),
                      .first = numbers[at + 1].get<std::int64_t>(),
                      .rows = numbers[at + 2].get<std::int64_t>(),
                      .begin = numbers[at + 3].get<std::uint64_t>(),
                      .end = numbers[at + 4].get<std::uint64_t>()});
  }
  return pieces;
}

json index_to_json(const TensorIndex& index) {
  json tensors = json::array();
  for (const StoredTensor& tensor : index.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"type", static_cast<int>(tensor.type)},
                       {"shape", tensor.shape},
                       {"pieces", pieces_to_json(tensor.pieces)}});
  }
  return {{"files", index.files}, {"tensors", std::move(tensors)}};
}

TensorIndex index_from_json(const json& value) {
  TensorIndex index{.files = value.at("files").get<std::vector<std::string>>(), .tensors = {}};
  for (const json& tensor : value.at("tensors")) {
    index.tensors.push_back({.name = tensor.at("name").get<std::string>(),
                             .type = static_cast<torch::ScalarType>(tensor.at("type").get<int>()),
                             .shape = tensor.at("shape").get<std::vector<std::int64_t>>(),
                             .pieces = pieces_from_json(tensor.at("pieces"))});
  }
  return index;
}

}  // namespace

CheckpointIndex read_checkpoint_index(const path& folder) {
  std::string manifest = load_manifest_text(folder);
  try {
    return IndexReader(folder, manifest).read();
  } catch (const std::exception&) {
    if (was_deleted(folder, manifest)) throw std::runtime_error(describe_deletion(folder));
    throw;
  }
}

std::string render_checkpoint_index(const CheckpointIndex& index) {
  const std::vector<std::uint8_t> bytes = json::to_cbor({{"manifest", index.manifest},
                                                         {"state", index.state},
                                                         {"model", index_to_json(index.model)},
                                                         {"optimizer", index_to_json(index.optimizer)},
                                                         {"rng", index_to_json(index.rng)},
                                                         {"extra", index_to_json(index.extra)}});
  return {bytes.begin(), bytes.end()};
}

CheckpointIndex parse_checkpoint_index(std::string_view bytes) {
  const json value = json::from_cbor(bytes.begin(), bytes.end());
  return {.manifest = value.at("manifest").get<std::string>(),
          .state = value.at("state").get<std::string>(),
          .model = index_from_json(value.at("model")),
          .optimizer = index_from_json(value.at("optimizer")),
          .rng = index_from_json(value.at("rng")),
          .extra = index_from_json(value.at("extra"))};
}

}  // namespace ddp::trainer
