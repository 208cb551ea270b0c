#include "ddp/jobenv/host_list.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

using Hosts = std::vector<std::string>;

Hosts expand(std::string_view text) {
  const auto list = HostList::parse(text);
  EXPECT_TRUE(list) << text << ": " << list.error().message;
  return list ? list->hosts() : Hosts{};
}

TEST(HostList, ExpandsNamesAndRanges) {
  EXPECT_EQ(expand("login"), (Hosts{"login"}));
  EXPECT_EQ(expand("a,b,a"), (Hosts{"a", "b", "a"}));
  EXPECT_EQ(expand("n[1-3]"), (Hosts{"n1", "n2", "n3"}));
  EXPECT_EQ(expand("n[0-1,03]"), (Hosts{"n0", "n1", "n03"}));
  EXPECT_EQ(expand("n[3,1]"), (Hosts{"n3", "n1"}));
  EXPECT_EQ(expand("gpu-1.cluster_a.org"), (Hosts{"gpu-1.cluster_a.org"}));
  EXPECT_EQ(expand("[1-2]"), (Hosts{"1", "2"}));
}

TEST(HostList, PadsToTheWidthOfTheLowBound) {
  EXPECT_EQ(expand("n[08-11]"), (Hosts{"n08", "n09", "n10", "n11"}));
  EXPECT_EQ(expand("n[8-010]"), (Hosts{"n8", "n9", "n10"}));
  EXPECT_EQ(expand("n[099-101]"), (Hosts{"n099", "n100", "n101"}));
  EXPECT_EQ(expand("n[00-1]"), (Hosts{"n00", "n01"}));
  EXPECT_EQ(expand("n[007]"), (Hosts{"n007"}));
}

TEST(HostList, TheLastGroupTurnsFastestThenTheFirst) {
  EXPECT_EQ(expand("r[0-1]n[01-02]"), (Hosts{"r0n01", "r0n02", "r1n01", "r1n02"}));
  EXPECT_EQ(expand("n[1-2][3-4]"), (Hosts{"n13", "n14", "n23", "n24"}));
  EXPECT_EQ(expand("n[1-2]a[3-4]b[5-6]"),
            (Hosts{"n1a3b5", "n1a3b6", "n2a3b5", "n2a3b6", "n1a4b5", "n1a4b6", "n2a4b5", "n2a4b6"}));
}

TEST(HostList, ExpandsSuffixesThatScontrolRefuses) {
  EXPECT_EQ(expand("n[1-3]-ib"), (Hosts{"n1-ib", "n2-ib", "n3-ib"}));
  EXPECT_EQ(expand("x[1-2]y[03-04]z,l"), (Hosts{"x1y03z", "x1y04z", "x2y03z", "x2y04z", "l"}));
}

TEST(HostList, RefusesWhatScontrolMangles) {
  for (const char* text :
       {"",          ",",      "a,,b",     ",a",      "a,",      "n[1",
        "n[1-2",     "n1]",    "n[1]]",    "n[[1]]",  "n[]",     "n[1,]",
        "n[,1]",     "n[1-]",  "n[-1]",    "n[-]",    "n[3-1]",  "n[09-8]",
        "n[a-b]",    "n[0x1]", "n[1-2-3]", "n[1 ,2]", "n [1]",   "a b",
        " a",        "a\n",    "a\tb",     "n(1-2)",  "n{1..2}", "a;b",
        "$(reboot)", "a/b",    "a:b",      "a@b",     "::[1-2]", "fd00::x",
        "-n1",       "-[1-2]", ".a",       "n[1--2]", "n[1.5]",  "n[+1]",
        "\xc3\xa4",  "a*",     "n[1][2",   "n]1[",    "a,[",     "n[1234567890123456789]"}) {
    EXPECT_FALSE(HostList::parse(text)) << text;
  }
  EXPECT_FALSE(HostList::parse(std::string_view("a\0b", 3)));
}

TEST(HostList, TheErrorQuotesTheTextAndNamesTheColumn) {
  EXPECT_EQ(HostList::parse("a,n[1").error().message, "host list 'a,n[1': '[' is never closed at column 4");
  EXPECT_EQ(HostList::parse("n[3-1]").error().message,
            "host list 'n[3-1]': a range that runs backwards at column 3");
  EXPECT_EQ(HostList::parse("a,,b").error().message, "host list 'a,,b': an empty name at column 3");
  EXPECT_EQ(HostList::parse("n[1-x]").error().message, "host list 'n[1-x]': a number is missing at column 5");
  EXPECT_EQ(HostList::parse("n\n1").error().message, "host list 'n?1': unexpected byte 0x0a at column 2");
  EXPECT_EQ(HostList::parse("n]").error().message, "host list 'n]': unexpected ']' at column 2");
}

TEST(HostList, RefusesListsThatWouldTakeTheMemory) {
  EXPECT_EQ(HostList::parse("n[1-1048576]")->size(), HostList::kMaxHosts);
  EXPECT_FALSE(HostList::parse("n[0-1048576]"));
  EXPECT_FALSE(HostList::parse("a,n[1-1048576]"));
  EXPECT_FALSE(HostList::parse("n[1-1048576],a"));
  EXPECT_FALSE(HostList::parse("n[1-99999999]"));
  EXPECT_FALSE(HostList::parse("n[1-999999999999999999]"));
  EXPECT_FALSE(HostList::parse("n[0-999999999999999999,0-999999999999999999]"));
  EXPECT_FALSE(HostList::parse("n[1-1025]x[1-1024]"));
  EXPECT_FALSE(HostList::parse("n[1-9999]x[1-9999]y[1-9999]z[1-9999]w[1-9999]"));
  EXPECT_TRUE(HostList::parse(std::string(253, 'a')));
  EXPECT_FALSE(HostList::parse(std::string(254, 'a')));
  EXPECT_FALSE(HostList::parse(std::string(252, 'a') + "[1-1000]"));
}

TEST(HostList, Compresses) {
  EXPECT_EQ(HostList().compress(), "");
  EXPECT_EQ(HostList({"a"}).compress(), "a");
  EXPECT_EQ(HostList({"n1", "n2", "n3"}).compress(), "n[1-3]");
  EXPECT_EQ(HostList({"n1", "n3", "n4"}).compress(), "n[1,3-4]");
  EXPECT_EQ(HostList({"n09", "n10", "n11"}).compress(), "n[09-11]");
  EXPECT_EQ(HostList({"n9", "n10"}).compress(), "n[9-10]");
  EXPECT_EQ(HostList({"n01", "n1", "n2"}).compress(), "n[01,1-2]");
  EXPECT_EQ(HostList({"n3", "n2", "n2"}).compress(), "n[3,2,2]");
  EXPECT_EQ(HostList({"n1", "m", "n2"}).compress(), "n1,m,n2");
  EXPECT_EQ(HostList({"1", "2"}).compress(), "[1-2]");
  EXPECT_EQ(HostList({"n1-ib", "n2-ib"}).compress(), "n1-ib,n2-ib");
}

TEST(HostList, NumbersTooLongToFoldStayNames) {
  const Hosts hosts = {"n9999999999999999999", "n99999999999999999999", "n999999999999999998",
                       "n999999999999999999", "n1000000000000000000"};
  const auto again = HostList::parse(HostList(hosts).compress());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->hosts(), hosts);
}

}  // namespace
}  // namespace ddp
