#include "trainer/data/datasets/tensor_file.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/data/datasets/image_dataset.hpp"
#include "trainer/data/datasets/tensor_file_layout.hpp"
#include "trainer/data/files/open_file.hpp"

namespace ddp::trainer {
namespace {

constexpr std::int64_t kMaxTarget = std::numeric_limits<std::int32_t>::max();

/// A file and what is where in it.
struct TensorFile {
  TensorFileLayout layout;
  std::shared_ptr<const OpenFile> file;
};

TensorFile open_tensor_file(const std::filesystem::path& path, const Component& source) {
  auto layout = read_tensor_file_layout(path);
  if (!layout) throw std::runtime_error(layout.error());
  if (const auto conflict = tensor_file_conflict(source, *layout); !conflict.empty())
    throw InvalidConfiguration("'" + path.string() + "': " + conflict);
  auto file = std::make_shared<OpenFile>(path);
  if (file->size() < std::max(layout->inputs.end, layout->targets.end))
    throw std::runtime_error("'" + path.string() + "' has changed while it was read");
  file->read_ahead();
  return {std::move(*layout), std::move(file)};
}

/// A file is free to begin its data at any byte.
template <class T>
std::vector<std::int64_t> read_integers(std::span<const std::uint8_t> bytes) {
  std::vector<std::int64_t> values(bytes.size() / sizeof(T));
  for (std::int64_t& value : values) {
    T stored;
    std::memcpy(&stored, bytes.data(), sizeof stored);
    value = static_cast<std::int64_t>(stored);
    bytes = bytes.subspan(sizeof stored);
  }
  return values;
}

std::vector<std::int64_t> read_targets(const TensorFile& file) {
  const TensorEntry& entry = file.layout.targets;
  std::vector<std::uint8_t> bytes(entry.end - entry.begin);
  file.file->read(entry.begin, bytes);
  auto targets = entry.dtype == "I64"   ? read_integers<std::int64_t>(bytes)
                 : entry.dtype == "I32" ? read_integers<std::int32_t>(bytes)
                                        : read_integers<std::uint8_t>(bytes);
  const auto wrong =
      std::ranges::find_if(targets, [](std::int64_t target) { return target < 0 || target > kMaxTarget; });
  if (wrong != targets.end())
    throw std::runtime_error("'" + file.file->path().string() + "': target " +
                             std::to_string(wrong - targets.begin()) + " is " + std::to_string(*wrong) +
                             (*wrong < 0
                                  ? ", but classes start at 0"
                                  : ", but the highest allowed class is " + std::to_string(kMaxTarget)));
  return targets;
}

SampleShape shape_of(const TensorFile& file, const std::vector<std::int64_t>& targets) {
  return {file.layout.sample_dims(), *std::ranges::max_element(targets) + 1};
}

class FloatSamples final : public Dataset {
 public:
  FloatSamples(TensorFile file, std::vector<std::int64_t> targets)
      : file_(std::move(file)), targets_(std::move(targets)), shape_(shape_of(file_, targets_)) {}

  [[nodiscard]] std::int64_t size() const override { return std::ssize(targets_); }
  [[nodiscard]] SampleShape sample_shape() const override { return shape_; }

 private:
  void write_sample(std::int64_t index, std::uint64_t /*epoch*/, float* input,
                    std::int64_t* target) const override {
    const auto place = static_cast<std::size_t>(index);
    const std::uint64_t bytes = file_.layout.sample_bytes();
    file_.file->read(file_.layout.inputs.begin + place * bytes,
                     {reinterpret_cast<std::uint8_t*>(input), bytes});
    *target = targets_[place];
  }

  TensorFile file_;
  std::vector<std::int64_t> targets_;
  SampleShape shape_;
};

/// Samples that are no images are images of one row.
ImageShape image_shape(const std::vector<std::int64_t>& dims) {
  if (dims.size() == 3) return {dims[0], dims[1], dims[2]};
  if (dims.size() == 2) return {1, dims[0], dims[1]};
  std::int64_t values = 1;
  for (const std::int64_t extent : dims) values *= extent;
  return {1, 1, values};
}

StoredImages store(const TensorFile& file, const std::vector<std::int64_t>& targets) {
  StoredImages stored{.samples = {}, .shape = shape_of(file, targets), .sources = {file.file}};
  stored.samples.reserve(targets.size());
  std::uint64_t offset = file.layout.inputs.begin;
  for (const std::int64_t target : targets) {
    stored.samples.push_back({offset, 0, static_cast<std::int32_t>(target)});
    offset += file.layout.sample_bytes();
  }
  return stored;
}

}  // namespace

std::unique_ptr<Dataset> make_tensor_file(const Component& source, Split split, std::uint64_t seed) {
  const char* key = split == Split::train ? "train_file" : "test_file";
  TensorFile file = open_tensor_file(source.get<std::string>(key), source);
  auto targets = read_targets(file);
  if (!file.layout.bytes()) return std::make_unique<FloatSamples>(std::move(file), std::move(targets));
  return make_image_dataset(store(file, targets),
                            ImageTransform(source, split, seed, image_shape(file.layout.sample_dims())));
}

}  // namespace ddp::trainer
