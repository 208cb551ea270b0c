#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ddp::agent {

/// What comes into a job's output file after this object was made.
class JobOutput {
 public:
  explicit JobOutput(std::filesystem::path file);
  /// At most the last `most` bytes; empty when there is nothing new.
  [[nodiscard]] std::string load(std::uintmax_t most) const;

 private:
  std::filesystem::path file_;
  std::uintmax_t begin_;
};

}  // namespace ddp::agent
