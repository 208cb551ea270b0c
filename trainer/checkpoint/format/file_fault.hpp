#pragma once

#include <string>

namespace ddp::trainer {

/// What is wrong with a file of a checkpoint.
struct FileFault {
  std::string file;
  std::string what;  ///< the end of a sentence about it: "is missing"

  bool operator==(const FileFault&) const = default;
};

/// "model.safetensors is missing"
[[nodiscard]] inline std::string render_fault(const FileFault& fault) {
  return fault.file + " " + fault.what;
}

}  // namespace ddp::trainer
