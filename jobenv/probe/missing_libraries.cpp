#include "jobenv/probe/missing_libraries.hpp"

#include <algorithm>
#include <sstream>

namespace ddp {

namespace {

/// Of glibc: "libx.so => not found". Of musl: "Error loading shared library libx.so: No such file …".
std::string missing_in(const std::string& line) {
  constexpr std::string_view kOfMusl = "Error loading shared library ";
  std::string name;
  if (line.ends_with("=> not found")) std::istringstream(line) >> name;
  if (line.starts_with(kOfMusl)) name = line.substr(kOfMusl.size(), line.find(": ") - kOfMusl.size());
  return name;
}

}  // namespace

std::vector<std::string> parse_missing_libraries(std::string_view list) {
  std::vector<std::string> missing;
  std::istringstream lines{std::string(list)};
  for (std::string line; std::getline(lines, line);) {
    auto name = missing_in(line);
    if (!name.empty() && std::ranges::find(missing, name) == missing.end())
      missing.push_back(std::move(name));
  }
  return missing;
}

}  // namespace ddp
