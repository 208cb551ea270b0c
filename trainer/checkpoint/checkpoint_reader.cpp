#include "trainer/checkpoint/checkpoint_reader.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>

#include "trainer/checkpoint/format/file_names.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

constexpr std::size_t kVerified = std::size_t{1} << 20;

/// A generator does not take every state of the right size; one of another size is another device's.
void check_generator(const torch::Tensor& state) {
  at::Generator generator = at::detail::createCPUGenerator();
  const auto size = generator.get_state().numel();
  if (state.scalar_type() != torch::kByte || state.dim() != 1)
    throw std::runtime_error("its rng.safetensors contains no random generator state");
  if (state.numel() < size) return;
  try {
    generator.set_state(state.narrow(0, 0, size).clone());
  } catch (const c10::Error& error) {
    throw std::runtime_error(std::string("its rng.safetensors contains an invalid random generator state: ") +
                             error.what_without_backtrace());
  }
}

FileSum read_sum(const path& file) {
  CheckedReader reader(file);
  std::vector<std::byte> bytes(kVerified);
  while (reader.remaining() > 0)
    reader.read(std::span(bytes).first(std::min<std::uint64_t>(bytes.size(), reader.remaining())));
  return reader.sum();
}

}  // namespace

CheckpointReader::CheckpointReader(const path& folder)
    : CheckpointReader(folder, read_checkpoint_index(folder)) {}

CheckpointReader::CheckpointReader(path folder, CheckpointIndex index)
    : folder_(std::move(folder)),
      manifest_text_(std::move(index.manifest)),
      manifest_(parse_manifest_of(folder_, manifest_text_)),
      state_(parse_state_of(folder_, index.state)),
      model_(files_of(std::move(index.model))),
      optimizer_(files_of(std::move(index.optimizer))),
      rng_(files_of(std::move(index.rng))),
      extra_(files_of(std::move(index.extra))) {}

TensorFiles CheckpointReader::files_of(TensorIndex index) const {
  std::vector<path> files;
  for (const std::string& name : index.files) files.push_back(folder_ / name);
  return {std::move(files), std::move(index.tensors)};
}

const FileSum& CheckpointReader::sum_of_file(const std::string& name) const {
  return sum_of(manifest_, folder_, name);
}

void CheckpointReader::require_same_manifest() const {
  if (load_manifest_text(folder_) == manifest_text_) return;
  throw std::runtime_error("'" + (folder_ / kManifestFile).string() +
                           "' is not the same file that rank 0 reads");
}

std::vector<std::string> CheckpointReader::tensor_files() const {
  std::vector<std::string> names;
  for (const TensorFiles* part : {&model_, &optimizer_, &rng_, &extra_})
    for (const path& file : part->files()) names.push_back(file.filename());
  return names;
}

std::vector<std::string> CheckpointReader::share_of_files(int rank, int ranks) const {
  std::vector<std::string> names = tensor_files();
  std::ranges::stable_sort(names, std::greater{},
                           [this](const auto& name) { return sum_of_file(name).size; });
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(ranks), 0);
  std::vector<std::string> share;
  for (std::string& name : names) {  // each to the rank that has the least until now
    const auto least = std::ranges::min_element(bytes);
    *least += sum_of_file(name).size;
    if (least - bytes.begin() == rank) share.push_back(std::move(name));
  }
  return share;
}

void CheckpointReader::verify(std::span<const std::string> names) const {
  for (const std::string& name : names) {
    const path file = folder_ / name;
    check_sum(file, read_sum(file), sum_of_file(name));
  }
}

NamedTensors CheckpointReader::load_all(const TensorFiles& files) const {
  TensorFiles::Read read = files.read_all();
  for (std::size_t i = 0; i < read.sums.size(); ++i) {
    const path& file = files.files()[i];
    check_sum(file, read.sums[i], sum_of_file(file.filename()));
  }
  return std::move(read.tensors);
}

std::vector<torch::Tensor> CheckpointReader::load_rng() const {
  std::vector<torch::Tensor> rng;
  for (auto& [name, tensor] : load_all(rng_)) {
    check_generator(tensor);
    rng.push_back(std::move(tensor));
  }
  return rng;
}

NamedTensors CheckpointReader::load_extra() const {
  return load_all(extra_);
}

NamedTensors CheckpointReader::load_model() const {
  return load_all(model_);
}

TrainingState CheckpointReader::load() const {
  TrainingState state = progress();
  state.model = load_model();
  state.optimizer = load_all(optimizer_);
  state.rng = load_rng();
  state.extra = load_extra();
  return state;
}

}  // namespace ddp::trainer
