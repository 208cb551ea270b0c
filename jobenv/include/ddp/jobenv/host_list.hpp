#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// A list of host names in Slurm's compressed notation, `rack[0-1]node[01-03,7]-ib,login`. Order and repeats are kept.
class HostList {
 public:
  /// Names a list may expand to; beyond it parse refuses (a typo such as [1-99999999] must not take the memory).
  static constexpr std::size_t kMaxHosts = 1 << 20;

  HostList() = default;
  explicit HostList(std::vector<std::string> hosts) : hosts_(std::move(hosts)) {}

  /// Expands `text`. Refuses what `scontrol show hostnames` silently mangles: unbalanced or nested brackets, empty
  /// ranges, reversed ranges, non-digits in ranges, empty names, characters that no host name holds.
  /// The error's message quotes the text and names the column.
  [[nodiscard]] static Expected<HostList> parse(std::string_view text);

  [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }
  [[nodiscard]] std::size_t size() const { return hosts_.size(); }

  /// The shortest form this class knows; `parse(compress())` gives the same hosts in the same order.
  [[nodiscard]] std::string compress() const;

  bool operator==(const HostList&) const = default;

 private:
  std::vector<std::string> hosts_;
};

}  // namespace ddp
