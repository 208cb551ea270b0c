// HostList against the real `scontrol show hostnames` and `show hostlist`, over random lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ddp/jobenv/host_list.hpp"
#include "tests/unit/jobenv/scontrol.hpp"

namespace ddp {
namespace {

using Hosts = std::vector<std::string>;

constexpr unsigned kSeed = 20261121;

class HostListAgainstScontrol : public testing::Test {
 protected:
  void SetUp() override {
    if (!scontrol_.is_installed()) GTEST_SKIP() << "scontrol is not installed";
    RecordProperty("seed", std::to_string(kSeed));
    std::cout << "seed " << kSeed << '\n';
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string text_of(const std::string& alphabet, std::size_t least, std::size_t most) {
    std::string text(least + below(most - least + 1), ' ');
    for (char& c : text) c = alphabet[below(alphabet.size())];
    return text;
  }

  std::string literal() { return text_of("abn", 1, 1) + text_of("abxyz019-._", 0, 4); }

  std::string range() {
    const std::size_t low = below(3) == 0 ? below(1200) : below(12);
    std::string low_digits = std::to_string(low);
    if (below(2) == 0) low_digits.insert(0, below(3), '0');
    if (below(2) == 0) return low_digits;
    return low_digits + "-" + std::string(below(2), '0') + std::to_string(low + below(6));
  }

  std::string group() {
    std::string ranges = range();
    while (below(3) == 0) ranges += "," + range();
    return "[" + ranges + "]";
  }

  /// One element in the part of the notation that scontrol knows: nothing behind the last bracket.
  std::string element() {
    std::string text = literal();
    if (below(4) == 0) return text;
    text += group();
    while (below(3) == 0) text += (below(2) == 0 ? text_of("ab1-.", 0, 3) : "") + group();
    return text;
  }

  /// Names of few stems, as a cluster has them.
  Hosts names() {
    static const Hosts stems = {"n", "n0", "gpu", "rack1-", "a.b", ""};
    Hosts hosts;
    const std::size_t count = 1 + below(12);
    while (hosts.size() < count) {
      const std::string& stem = stems[below(stems.size())];
      std::size_t number = below(120);
      const std::size_t width = below(4);
      for (std::size_t run = 1 + below(5); run > 0; --run, ++number) {
        const std::string digits = std::to_string(number);
        hosts.push_back(stem + std::string(width - std::min(width, digits.size()), '0') + digits);
      }
      if (below(5) == 0) hosts.push_back(literal());
    }
    return hosts;
  }

  Scontrol scontrol_;
  std::mt19937 random_{kSeed};
};

TEST_F(HostListAgainstScontrol, ExpandsThousandsOfListsToTheSameNames) {
  constexpr int kBatches = 150;
  constexpr int kBatch = 30;
  for (int batch = 0; batch < kBatches; ++batch) {
    std::string list = element();
    for (int i = 1; i < kBatch; ++i) list += "," + element();
    const auto ours = HostList::parse(list);
    ASSERT_TRUE(ours) << list << ": " << ours.error().message;
    ASSERT_EQ(ours->hosts(), scontrol_.show("hostnames", list)) << list;
  }
}

TEST_F(HostListAgainstScontrol, CompressesToTheSameTextAndBack) {
  for (int i = 0; i < 500; ++i) {
    const Hosts hosts = names();
    std::string joined;
    for (const std::string& host : hosts) joined += (joined.empty() ? "" : ",") + host;
    const std::string ours = HostList(hosts).compress();
    ASSERT_EQ(Hosts{ours}, scontrol_.show("hostlist", joined)) << joined;
    ASSERT_EQ(HostList::parse(ours)->hosts(), hosts) << ours;
    ASSERT_EQ(scontrol_.show("hostnames", ours), hosts) << ours;
  }
}

/// Whether an element of `list` has text behind its last bracket: documented to be ours alone.
bool has_suffix(const std::string& list) {
  for (std::size_t at = list.find(']'); at != std::string::npos; at = list.find(']', at + 1)) {
    const std::size_t end = list.find_first_of(",[", at);
    if (at + 1 != std::min(end, list.size()) && (end == std::string::npos || list[end] == ',')) return true;
  }
  return false;
}

TEST_F(HostListAgainstScontrol, AcceptsNoGarbageThatScontrolReadsAnotherWay) {
  int accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    const std::string list = text_of("nnx[[]]112-,0.", 1, 12);
    const auto ours = HostList::parse(list);
    if (!ours || list.find('[') == std::string::npos) continue;
    ++accepted;
    const Hosts theirs = scontrol_.show("hostnames", list);
    const bool refused = theirs.empty() || theirs.front().starts_with("Invalid hostlist");
    if (refused) {
      ASSERT_TRUE(has_suffix(list)) << list;
    } else {
      ASSERT_EQ(ours->hosts(), theirs) << list;
    }
  }
  EXPECT_GT(accepted, 500);
}

TEST_F(HostListAgainstScontrol, ScontrolStillManglesWhatIsRefusedHere) {
  EXPECT_EQ(scontrol_.show("hostnames", "n[1-]"), (Hosts{"n1"}));
  EXPECT_EQ(scontrol_.show("hostnames", "a,,b"), (Hosts{"a", "b"}));
  EXPECT_EQ(scontrol_.show("hostnames", "n1]"), (Hosts{"n1]"}));
  EXPECT_FALSE(HostList::parse("n[1-]"));
  EXPECT_FALSE(HostList::parse("a,,b"));
  EXPECT_FALSE(HostList::parse("n1]"));
}

}  // namespace
}  // namespace ddp
