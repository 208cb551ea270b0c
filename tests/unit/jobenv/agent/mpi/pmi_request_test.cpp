#include "jobenv/agent/mpi/pmi_request.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

TEST(PmiRequest, FieldsEndAtBlanks) {
  const auto request = parse_pmi_request("cmd=put kvsname=job-1 key=a value=b");
  EXPECT_EQ(request.command, "put");
  EXPECT_EQ(request.field("kvsname"), "job-1");
  EXPECT_EQ(request.field("key"), "a");
  EXPECT_EQ(request.field("value"), "b");
  EXPECT_EQ(request.field("other"), "");
}

TEST(PmiRequest, AValueGoesToTheEndOfTheLine) {
  EXPECT_EQ(parse_pmi_request("cmd=put key=a value=b c=d  e").field("value"), "b c=d  e");
  EXPECT_EQ(parse_pmi_request("cmd=put key=a value=").field("value"), "");
}

TEST(PmiRequest, OtherLinesHaveNoCommand) {
  for (const char* line : {"", " ", "hello", "key=a", "=", "cmd"})
    EXPECT_EQ(parse_pmi_request(line).command, "") << line;
  EXPECT_EQ(parse_pmi_request("cmd=init pmi_version=1 junk").command, "init");
}

TEST(PmiRequest, OnlyPrintableAsciiIsText) {
  EXPECT_TRUE(is_pmi_text("(vector,(0,2,4)) ~"));
  EXPECT_FALSE(is_pmi_text("a\nb"));
  EXPECT_FALSE(is_pmi_text("\xc3\xa9"));
}

}  // namespace
}  // namespace ddp::agent
