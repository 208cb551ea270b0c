#include "trainer/checkpoint/checkpoint_reader.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "trainer/checkpoint/manifest_file.hpp"

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

/// Before anything of the file is read.
void check_size(const path& file, const FileSum& expected) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) throw std::runtime_error("cannot read '" + file.string() + "': " + error.message());
  if (size == expected.size) return;
  throw std::runtime_error("'" + file.string() + "' does not match its manifest: it has " +
                           std::to_string(size) + " bytes, not " + std::to_string(expected.size));
}

FileSum sum_of_file(const path& file) {
  CheckedReader reader(file);
  std::vector<std::byte> bytes(kVerified);
  while (reader.remaining() > 0)
    reader.read(std::span(bytes).first(std::min<std::uint64_t>(bytes.size(), reader.remaining())));
  return reader.sum();
}

}  // namespace

CheckpointReader::CheckpointReader(path folder)
    : folder_(std::move(folder)),
      manifest_(load_manifest(folder_)),
      state_(load_state_file(folder_ / kStateFile, sum_of(kStateFile))),
      model_(open_part(TensorPart::model)),
      optimizer_(open_part(TensorPart::optimizer)),
      rng_(open_files({render_tensor_file_name({TensorPart::rng})})),
      // state.json is summed, the names in the manifest are not.
      extra_(state_.extra_tensors > 0 ? open_files({render_tensor_file_name({TensorPart::extra})})
                                      : TensorFiles()) {}

const FileSum& CheckpointReader::sum_of(const std::string& name) const {
  const auto found = manifest_.files.find(name);
  if (found == manifest_.files.end())
    throw std::runtime_error("the manifest of '" + folder_.string() + "' does not name '" + name + "'");
  return found->second;
}

TensorFiles CheckpointReader::open_files(const std::vector<std::string>& names) const {
  std::vector<path> files;
  for (const std::string& name : names) {
    files.push_back(folder_ / name);
    check_size(files.back(), sum_of(name));
  }
  return TensorFiles(std::move(files));
}

TensorFiles CheckpointReader::open_part(TensorPart part) const {
  if (manifest_.format == CheckpointFormat::whole) return open_files({render_tensor_file_name({part})});
  if (state_.shard_files.empty())
    throw std::runtime_error("'" + (folder_ / kStateFile).string() + "' names no files of the ranks");
  std::vector<std::string> names;
  std::ranges::copy_if(state_.shard_files, std::back_inserter(names),
                       [part](const std::string& name) { return is_shard_name(name, part); });
  return open_files(names);
}

std::vector<std::string> CheckpointReader::tensor_files() const {
  std::vector<std::string> names;
  for (const TensorFiles* part : {&model_, &optimizer_, &rng_, &extra_})
    for (const path& file : part->files()) names.push_back(file.filename());
  return names;
}

std::vector<std::string> CheckpointReader::share_of_files(int rank, int ranks) const {
  std::vector<std::string> names = tensor_files();
  std::ranges::stable_sort(names, std::greater{}, [this](const auto& name) { return sum_of(name).size; });
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(ranks), 0);
  std::vector<std::string> share;
  for (std::string& name : names) {  // each to the rank that has the least until now
    const auto least = std::ranges::min_element(bytes);
    *least += sum_of(name).size;
    if (least - bytes.begin() == rank) share.push_back(std::move(name));
  }
  return share;
}

void CheckpointReader::verify(std::span<const std::string> names) const {
  for (const std::string& name : names) check_sum(folder_ / name, sum_of_file(folder_ / name), sum_of(name));
}

NamedTensors CheckpointReader::load_all(const TensorFiles& files) const {
  TensorFiles::Read read = files.read_all();
  for (std::size_t i = 0; i < read.sums.size(); ++i) {
    const path& file = files.files()[i];
    check_sum(file, read.sums[i], sum_of(file.filename()));
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
