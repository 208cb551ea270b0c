#include "trainer/checkpoint/format/file_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <system_error>

namespace ddp::trainer {
namespace {

constexpr std::array kParts = {TensorPart::model, TensorPart::optimizer, TensorPart::rng, TensorPart::extra};
constexpr std::string_view kShardPrefix = "shard-";
constexpr std::string_view kTensorsSuffix = ".safetensors";

/// Of the number behind the prefix; 0: there is none.
int parse_shard_number(std::string_view text) {
  if (!text.starts_with(kShardPrefix)) return 0;
  text.remove_prefix(kShardPrefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number > 0 ? number : 0;
}

std::string render_shard_number(int shard) {
  std::array<char, 16> number{};
  std::snprintf(number.data(), number.size(), "%05d", shard);
  return number.data();
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool take_digits(std::string_view& text) {
  const auto count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count > 0;
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
  std::string text(name_of(name.part));
  if (name.shard != 0)
    text = std::string(kShardPrefix) + render_shard_number(name.shard) + "-" + text + "-00001-of-00001";
  return text.append(kTensorsSuffix);
}

std::optional<TensorFileName> parse_tensor_file_name(std::string_view text) {
  for (const TensorPart part : kParts) {
    const TensorFileName name{part, parse_shard_number(text)};
    if (render_tensor_file_name(name) == text) return name;
  }
  return std::nullopt;
}

bool is_shard_name(std::string_view name, TensorPart part) {
  return take_word(name, kShardPrefix) && take_digits(name) && take_word(name, "-") &&
         take_word(name, name_of(part)) && take_word(name, "-") && take_digits(name) &&
         take_word(name, "-of-") && take_digits(name) && name == kTensorsSuffix;
}

bool is_name_in_folder(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         name.find('\0') == name.npos;
}

}  // namespace ddp::trainer
