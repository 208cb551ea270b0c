#include "trainer/data/datasets/tensor_file_layout.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "trainer/data/images/image_options.hpp"

namespace ddp::trainer {
namespace {

std::string check(const TensorFileLayout& layout) {
  const auto is_one_of = [](const std::string& dtype, std::initializer_list<std::string_view> known) {
    return std::ranges::find(known, dtype) != known.end();
  };
  const auto& [inputs, targets] = layout;
  if (!is_one_of(inputs.dtype, {"U8", "F32"}))
    return "'inputs' has type " + inputs.dtype + ", but must be U8 or F32";
  if (!is_one_of(targets.dtype, {"I64", "I32", "U8"}))
    return "'targets' has type " + targets.dtype + ", but must be I64, I32 or U8";
  if (targets.shape.size() != 1) return "'targets' must have one dimension, the samples";
  if (inputs.shape.size() < 2) return "'inputs' must have a dimension of samples and at least another one";
  if (inputs.shape.front() != targets.shape.front())
    return "'inputs' has " + std::to_string(inputs.shape.front()) + " samples, but 'targets' has " +
           std::to_string(targets.shape.front());
  if (inputs.begin == inputs.end) return "it contains no samples";
  return {};
}

}  // namespace

tl::expected<TensorFileLayout, std::string> read_tensor_file_layout(const std::filesystem::path& path) {
  const auto header = read_safetensors_header(path);
  if (!header) return tl::unexpected("'" + path.string() + "' " + header.error());
  TensorFileLayout layout;
  for (const auto& [name, entry] : {std::pair{"inputs", &layout.inputs}, {"targets", &layout.targets}}) {
    const auto found = std::ranges::find(*header, name, &TensorEntry::name);
    if (found == header->end())
      return tl::unexpected("'" + path.string() + "' contains no tensor '" + std::string(name) + "'");
    *entry = *found;
  }
  if (const std::string fault = check(layout); !fault.empty())
    return tl::unexpected("'" + path.string() + "': " + fault);
  return layout;
}

std::string tensor_file_conflict(const Component& source, const TensorFileLayout& layout) {
  const bool augments =
      source.get<std::int64_t>("random_crop_padding") > 0 || source.get<bool>("horizontal_flip");
  const auto dims = layout.sample_dims();
  if (!layout.bytes()) {
    if (source.get<bool>("normalize") || augments)
      return "the inputs have type F32 and are used unchanged: normalize, random_crop_padding and "
             "horizontal_flip need inputs of type U8";
    return {};
  }
  if (augments && (dims.size() < 2 || dims.size() > 3))
    return "random_crop_padding and horizontal_flip need images of shape [height, width] or [channels, "
           "height, width]";
  return image_conflict(source, dims.size() == 3 ? dims.front() : 1);
}

}  // namespace ddp::trainer
