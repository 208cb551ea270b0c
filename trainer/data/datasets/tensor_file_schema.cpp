#include "trainer/data/datasets/tensor_file_layout.hpp"
#include "trainer/data/images/image_options.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

constexpr const char* kHint =
    "write it in Python: safetensors.torch.save_file({'inputs': images, 'targets': labels}, path)";

bool is_here(const std::string& file) {
  std::error_code unreadable;
  return !file.empty() && std::filesystem::exists(file, unreadable);
}

/// What the files say that are on this machine. Those that are not are the business of `missing`.
std::string files_conflict(const Component& source) {
  std::optional<TensorFileLayout> other;
  for (const char* key : {"train_file", "test_file"}) {
    const auto& file = source.get<std::string>(key);
    if (!is_here(file)) continue;
    const auto layout = read_tensor_file_layout(file);
    if (!layout) return layout.error();
    if (auto wrong = tensor_file_conflict(source, *layout); !wrong.empty()) return wrong;
    if (other && other->sample_dims() != layout->sample_dims())
      return "the samples of train_file and test_file have different shapes";
    other = *layout;
  }
  return {};
}

std::optional<SampleShape> shape_in_file(const Component& source) {
  const auto& file = source.get<std::string>("train_file");
  if (!is_here(file)) return std::nullopt;
  const auto layout = read_tensor_file_layout(file);
  if (!layout) return std::nullopt;
  return SampleShape{layout->sample_dims(), 0};
}

std::optional<MissingData> find_missing_file(const Component& source, SplitsRead splits) {
  const auto& train = source.get<std::string>("train_file");
  if (splits != SplitsRead::test && !is_here(train))
    return MissingData{"train_file", "there is no file '" + train + "'", kHint};
  const auto& test = source.get<std::string>("test_file");
  if (splits == SplitsRead::train || is_here(test)) return std::nullopt;
  if (test.empty())
    return MissingData{
        "test_file", "an evaluation needs train.data.test_file",
        "set it to a file of the same form, or turn evaluation off: train.evaluate.every_epochs: 0"};
  return MissingData{"test_file", "there is no file '" + test + "'", kHint};
}

}  // namespace

ComponentSchema tensor_file_schema() {
  return {
      .name = "tensor_file",
      .doc = "your own data, of any shape, as two tensors of a safetensors file: inputs and targets",
      .options = with_image_options(
          {
              {.key = "train_file",
               .default_value = std::string(),
               .doc = "safetensors file with two tensors: `inputs` of shape [samples, ...], U8 (divided by "
                      "255) or F32 (unchanged), and `targets` of shape [samples], I64, I32 or U8, with "
                      "classes from 0. Samples are read on demand: do not change the file while a run uses "
                      "it; replace it with a new file",
               .text = OptionSchema::Text::required_path},
              {.key = "test_file",
               .default_value = std::string(),
               .doc = "safetensors file of the same form with the test data",
               .text = OptionSchema::Text::path},
          },
          {}, {}),
      .conflict = files_conflict,
      .sample_shape = shape_in_file,
      .missing = find_missing_file,
  };
}

}  // namespace ddp::trainer
