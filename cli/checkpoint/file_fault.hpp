#pragma once

#include <string>

namespace ddp::cli {

/// What is wrong with a file of a checkpoint.
struct FileFault {
  std::string file;  ///< its name in the folder
  std::string what;  ///< without the name of the file: "is missing"

  bool operator==(const FileFault&) const = default;
};

/// "model.safetensors is missing"
[[nodiscard]] inline std::string render_fault(const FileFault& fault) {
  return fault.file + " " + fault.what;
}

}  // namespace ddp::cli
