#include "jobenv/record/log_pattern.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

std::string expand(std::string_view pattern) {
  return expand_log_pattern(pattern, {{'j', "42"}, {'x', "mnist"}, {'a', "3"}});
}

TEST(LogPattern, NamesTheJob) {
  EXPECT_EQ(expand("/logs/%x-%j.out"), "/logs/mnist-42.out");
  EXPECT_EQ(expand("%j_%a"), "42_3");
  EXPECT_EQ(expand("plain"), "plain");
  EXPECT_EQ(expand("100%%-%j"), "100%-42");
}

TEST(LogPattern, FillsNumbersUpWithZeros) {
  EXPECT_EQ(expand("%4j"), "0042");
  EXPECT_EQ(expand("%1j"), "42");
  EXPECT_EQ(expand("%6x"), "mnist");
  EXPECT_EQ(expand("%99999999999j"), "0000000042");
}

TEST(LogPattern, WhatHasNoValueStays) {
  EXPECT_EQ(expand("%u.%"), "%u.%");
}

TEST(LogPattern, TellsWhichLettersItHas) {
  EXPECT_EQ(parse_log_pattern("/%%/%x/%3A_%a").value(), "xAa");
  EXPECT_EQ(parse_log_pattern("plain").value(), "");
  for (const char* pattern : {"%s", "%", "a%", "%4", "%b"})
    EXPECT_FALSE(parse_log_pattern(pattern)) << pattern;
  EXPECT_EQ(parse_log_pattern("/a%b/c").error().message, "'%b' is not a known placeholder");
}

}  // namespace
}  // namespace ddp
