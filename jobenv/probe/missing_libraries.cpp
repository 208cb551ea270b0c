#include "jobenv/probe/missing_libraries.hpp"

#include <algorithm>
#include <sstream>

namespace ddp {

std::vector<std::string> parse_missing_libraries(std::string_view list) {
  std::vector<std::string> missing;
  std::istringstream lines{std::string(list)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with("=> not found")) continue;
    std::string name;
    std::istringstream(line) >> name;
    if (std::ranges::find(missing, name) == missing.end()) missing.push_back(std::move(name));
  }
  return missing;
}

}  // namespace ddp
