#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// A list of host names in Slurm's compressed notation, `rack[0-1]node[01-03,7]-ib,login`. Order and repeats
/// are kept.
class HostList {
 public:
  /// Names a list may expand to; beyond it parse refuses (a typo such as [1-99999999] must not take the
  /// memory).
  static constexpr std::size_t kMaxHosts = 1 << 20;

  HostList() = default;
  explicit HostList(std::vector<std::string> hosts) : hosts_(std::move(hosts)) {}

  /// Expands `text`. Every list that `scontrol show hostnames` expands without loss gives the same names in
  /// the same order: with several bracket groups the last one turns fastest, then the first, the second, and
  /// so on. Numbers are padded to the width of a range's low bound.
  ///
  /// Text behind the last bracket (`n[1-3]-ib`, `x[1-2]y[3-4]z`), which scontrol calls invalid (and exits 0),
  /// is expanded in that order, too. Refused is all that scontrol silently mangles: unbalanced or nested
  /// brackets, empty, open or reversed ranges, non-digits in ranges, numbers over 18 digits, empty names (an
  /// empty text, `a,,b`), blanks; besides characters that no host name holds, a leading '-' or '.', and names
  /// over 253 characters. The error's message quotes the text and names the column.
  [[nodiscard]] static Expected<HostList> parse(std::string_view text);

  [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }
  [[nodiscard]] std::size_t size() const { return hosts_.size(); }

  /// A short form: neighbours that differ in their last number only are folded, as `scontrol show hostlist`
  /// does. `parse(compress())` gives the same hosts in the same order, and scontrol reads it, too. Empty for
  /// no hosts.
  [[nodiscard]] std::string compress() const;

  bool operator==(const HostList&) const = default;

 private:
  std::vector<std::string> hosts_;
};

}  // namespace ddp
