#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ddp::agent {

/// One request of the first version of PMI, by which an MPI library asks whoever has started it for its job:
/// "cmd=put kvsname=job key=a value=b c". Source of the protocol: "PMI: A Scalable Parallel
/// Process-Management Interface for Extreme-Scale Systems" (Balaji and others, 2010), and what MPICH's client
/// sends.
struct PmiRequest {
  std::string command;                        ///< empty: the line is not a request
  std::map<std::string, std::string> fields;  ///< the others

  /// Empty: there is none of this name.
  [[nodiscard]] std::string field(const std::string& name) const;
};

/// `line` without its newline. Fields end at a blank, except `value`, which is the last one.
[[nodiscard]] PmiRequest parse_pmi_request(std::string_view line);

/// Whether PMI can carry it as (a part of) a value: one line of printable ASCII.
[[nodiscard]] bool is_pmi_text(std::string_view text);

}  // namespace ddp::agent
