#include "cli/output/short_keys.hpp"

#include <algorithm>

namespace ddp::cli {
namespace {

std::string last_part_of_key(const std::string& key) {
  return key.substr(key.rfind('.') + 1);  // npos + 1 is 0
}

}  // namespace

std::vector<std::string> shorten_keys(const std::vector<std::string>& keys) {
  std::vector<std::string> names;
  for (const auto& key : keys) {
    const auto same = std::ranges::count(keys, last_part_of_key(key), last_part_of_key);
    names.push_back(same > 1 ? key : last_part_of_key(key));
  }
  return names;
}

}  // namespace ddp::cli
