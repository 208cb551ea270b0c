#pragma once

#include <string>
#include <vector>

namespace ddp {

/// Where a rank is: the calls that the main thread of its program is in.
struct RankStack {
  int rank = 0;
  std::string host;
  std::string process;  ///< running, sleeping, in_kernel, stopped, traced, unknown
  std::string source;   ///< who told: py-spy, faulthandler, eu-stack, gdb or kernel
  std::vector<std::string>
      frames;  ///< innermost first: "all_reduce (torch/distributed/distributed_c10d.py:3075)"

  static void describe(auto& fields, auto& stack) {
    fields.field("rank", stack.rank, 0);
    fields.field("host", stack.host);
    fields.field("process", stack.process);
    fields.field("source", stack.source);
    fields.field("frames", stack.frames);
  }
  bool operator==(const RankStack&) const = default;
};

}  // namespace ddp
