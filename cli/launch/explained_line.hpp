#pragma once

#include <string>
#include <vector>

namespace ddp::cli {

/// A line of a batch script and what made it.
struct ExplainedLine {
  std::string text;
  std::vector<std::string> keys;  ///< paths of values in the spec
  std::string why;                ///< what ddpsubmit has added to them, or the line itself; may be empty
};

}  // namespace ddp::cli
