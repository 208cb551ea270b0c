#pragma once

#include <string>
#include <vector>

namespace ddp {

/// `texts` in the form that execve takes: valid while `texts` is.
[[nodiscard]] inline std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace ddp
