#include "cli/checkpoint/tensor_file_name.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace ddp::cli {
namespace {

constexpr std::array kParts = {TensorPart::model, TensorPart::optimizer, TensorPart::rng, TensorPart::extra};
constexpr std::string_view kShardPrefix = "shard-";

/// Of the number behind the prefix; 0: there is none.
int parse_shard_number(std::string_view text) {
  if (!text.starts_with(kShardPrefix)) return 0;
  text.remove_prefix(kShardPrefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number > 0 ? number : 0;
}

}  // namespace

std::string_view name_of(TensorPart part) {
  switch (part) {
    case TensorPart::model:
      return "model";
    case TensorPart::optimizer:
      return "optimizer";
    case TensorPart::rng:
      return "rng";
    case TensorPart::extra:
      return "extra";
  }
  return {};
}

std::string render_tensor_file_name(const TensorFileName& name) {
  if (name.shard == 0) return fmt::format("{}.safetensors", name_of(name.part));
  return fmt::format("{}{:05}-{}-00001-of-00001.safetensors", kShardPrefix, name.shard, name_of(name.part));
}

std::optional<TensorFileName> parse_tensor_file_name(std::string_view text) {
  for (const TensorPart part : kParts) {
    const TensorFileName name{part, parse_shard_number(text)};
    if (render_tensor_file_name(name) == text) return name;
  }
  return std::nullopt;
}

}  // namespace ddp::cli
