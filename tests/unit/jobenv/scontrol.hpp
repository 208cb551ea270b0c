#pragma once

#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace ddp {

/// The real scontrol, with a configuration of its own so that it works on a machine without Slurm.
class Scontrol {
 public:
  Scontrol();

  [[nodiscard]] bool is_installed() const { return !program_.empty(); }

  /// The lines that `scontrol show TOPIC LIST` prints on stdout.
  [[nodiscard]] std::vector<std::string> show(const std::string& topic, const std::string& list) const;

 private:
  TemporaryFolder folder_;
  std::string program_;
};

}  // namespace ddp
