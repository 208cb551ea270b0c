#include "ddp/jobenv/host_list.hpp"

#include <algorithm>
#include <optional>

#include "ddp/jobenv/whole_number.hpp"
#include "host_pattern.hpp"
#include "network_address.hpp"

namespace ddp {
namespace {

constexpr std::size_t kMaxNameLength = 253;  // of a DNS name
constexpr std::size_t kMaxDigits = 18;       // fit into 64 bits

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == ':';
}

std::string quoted(char c) {
  if (c >= ' ' && c <= '~') return {'\'', c, '\''};
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
}

/// A recursive descent over list := element {',' element}, element := literal {'[' ranges ']' literal}.
class HostListParser {
 public:
  explicit HostListParser(std::string_view text) : text_(text) {}

  Expected<std::vector<std::string>> parse() {
    std::vector<std::string> hosts;
    do {
      const std::size_t begin = at_;
      const auto pattern = parse_pattern();
      if (!pattern) return tl::unexpected(pattern.error());
      if (pattern->longest() > kMaxNameLength)
        return refuse(begin, "a host name is longer than 253 characters");
      const std::size_t room = HostList::kMaxHosts - hosts.size();
      if (pattern->count(room) > room) {
        return refuse(begin, "more than " + std::to_string(HostList::kMaxHosts) + " hosts");
      }
      pattern->expand_into(hosts);
    } while (take(','));
    return hosts;
  }

 private:
  [[nodiscard]] bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }

  bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] tl::unexpected<Error> refuse(std::size_t at, const std::string& what) const {
    constexpr std::size_t kShown = 200;
    std::string shown;
    for (const char c : text_.substr(0, kShown)) shown += c >= ' ' && c <= '~' ? c : '?';
    if (text_.size() > kShown) shown += "…";
    return fail(ExitCode::config_invalid,
                "host list '" + shown + "': " + what + " at column " + std::to_string(at + 1),
                "the notation is Slurm's, for example rack[0-1]node[01-03,7],login");
  }

  Expected<HostPattern> parse_pattern() {
    const std::size_t begin = at_;
    HostPattern pattern;
    pattern.literals.push_back(take_literal());
    while (take('[')) {
      auto group = parse_group(at_ - 1);
      if (!group) return tl::unexpected(group.error());
      pattern.groups.push_back(std::move(*group));
      pattern.literals.push_back(take_literal());
    }
    if (at_ == begin) return refuse(at_, at_end() || next_is(',') ? "an empty name" : unexpected_character());
    if (!at_end() && !next_is(',')) return refuse(at_, unexpected_character());
    const std::string whole(text_.substr(begin, at_ - begin));
    if (const std::size_t colon = whole.find(':'); colon != std::string::npos && !is_ip_address(whole))
      return refuse(begin + colon, "unexpected ':'");
    if (text_[begin] == '-' || text_[begin] == '.') {
      return refuse(begin, "a host name cannot begin with " + quoted(text_[begin]));
    }
    return pattern;
  }

  /// The ranges behind an opening bracket, and the closing one.
  Expected<std::vector<NumberRange>> parse_group(std::size_t opened) {
    std::vector<NumberRange> group;
    do {
      const auto range = parse_range();
      if (!range) return tl::unexpected(range.error());
      group.push_back(*range);
    } while (take(','));
    if (at_end()) return refuse(opened, "'[' is never closed");
    if (!take(']')) return refuse(at_, unexpected_character() + " in a range");
    return group;
  }

  Expected<NumberRange> parse_range() {
    const std::size_t begin = at_;
    const std::string_view low_digits = take_digits();
    const auto low = number(low_digits);
    if (!low) return refuse(begin, no_number(low_digits));
    if (!take('-')) return NumberRange{*low, *low, low_digits.size()};
    const std::size_t second = at_;
    const std::string_view high_digits = take_digits();
    const auto high = number(high_digits);
    if (!high) return refuse(second, no_number(high_digits));
    if (*high < *low) return refuse(begin, "a range that runs backwards");
    return NumberRange{*low, *high, low_digits.size()};
  }

  [[nodiscard]] static std::optional<std::int64_t> number(std::string_view digits) {
    if (digits.size() > kMaxDigits) return std::nullopt;
    return parse_whole_number(digits);
  }

  [[nodiscard]] static std::string no_number(std::string_view digits) {
    return digits.empty() ? "a number is missing" : "a number with more than 18 digits";
  }

  [[nodiscard]] std::string unexpected_character() const { return "unexpected " + quoted(text_[at_]); }

  std::string take_literal() {
    const std::size_t begin = at_;
    while (!at_end() && is_name_character(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view take_digits() {
    const std::size_t begin = at_;
    while (!at_end() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// A name split before its trailing digits; no digits when there are more than fit, or it is an IPv6 address.
struct NumberedName {
  std::string_view prefix;
  std::string_view digits;
};

NumberedName split_number(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
  if (name.size() - begin > kMaxDigits || name.find(':') != std::string_view::npos) return {name, {}};
  return {name.substr(0, begin), name.substr(begin)};
}

/// The digits that follow `digits` in a range whose low bound has `width` digits.
std::string successor(std::string_view digits, std::size_t width) {
  const std::string next = std::to_string(*parse_whole_number(digits) + 1);
  return std::string(width - std::min(width, next.size()), '0') + next;
}

/// Folds `hosts[begin, end)`, names of one prefix, into `prefix[ranges]`.
std::string fold(const std::vector<std::string>& hosts, std::size_t begin, std::size_t end) {
  std::string ranges;
  for (std::size_t low = begin; low < end;) {
    const std::string_view first = split_number(hosts[low]).digits;
    std::string_view last = first;
    std::size_t next = low + 1;
    while (next < end && split_number(hosts[next]).digits == successor(last, first.size())) {
      last = split_number(hosts[next++]).digits;
    }
    if (!ranges.empty()) ranges += ',';
    ranges += first;
    if (next - low > 1) ranges.append("-").append(last);
    low = next;
  }
  return std::string(split_number(hosts[begin]).prefix) + '[' + ranges + ']';
}

}  // namespace

Expected<HostList> HostList::parse(std::string_view text) {
  auto hosts = HostListParser(text).parse();
  if (!hosts) return tl::unexpected(hosts.error());
  return HostList(std::move(*hosts));
}

std::string HostList::compress() const {
  std::string text;
  for (std::size_t begin = 0; begin < hosts_.size();) {
    const NumberedName name = split_number(hosts_[begin]);
    std::size_t end = begin + 1;
    while (!name.digits.empty() && end < hosts_.size()) {
      const NumberedName other = split_number(hosts_[end]);
      if (other.digits.empty() || other.prefix != name.prefix) break;
      ++end;
    }
    if (!text.empty()) text += ',';
    text += end - begin > 1 ? fold(hosts_, begin, end) : hosts_[begin];
    begin = end;
  }
  return text;
}

}  // namespace ddp
