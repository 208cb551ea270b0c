#include "trainer/checkpoint/file_names.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace ddp::trainer {
namespace {

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

std::string render_shard_name(int rank, std::string_view part) {
  std::array<char, 16> number{};
  std::snprintf(number.data(), number.size(), "%05d", rank + 1);
  return std::string("shard-") + number.data() + "-" + std::string(part) + "-00001-of-00001.safetensors";
}

bool is_shard_name(std::string_view name, std::string_view part) {
  return take_word(name, "shard-") && take_digits(name) && take_word(name, "-") && take_word(name, part) &&
         take_word(name, "-") && take_digits(name) && take_word(name, "-of-") && take_digits(name) &&
         name == ".safetensors";
}

}  // namespace ddp::trainer
