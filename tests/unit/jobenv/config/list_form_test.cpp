#include <gtest/gtest.h>

#include "jobenv/config/list_form.hpp"

namespace ddp {
namespace {

TEST(ListForm, TextsThatWouldBeOtherValuesAreQuoted) {
  EXPECT_EQ(list_form("python3 train.py --lr 0.1", ListOf::texts), R"([python3, train.py, --lr, "0.1"])");
  EXPECT_EQ(list_form("a --flag true -", ListOf::texts), R"([a, --flag, "true", "-"])");
  EXPECT_EQ(list_form(" a:b  c,d ", ListOf::texts), R"(["a:b", "c,d"])");
}

TEST(ListForm, NumbersAreNot) {
  EXPECT_EQ(list_form("30", ListOf::numbers), "[30]");
  EXPECT_EQ(list_form("30 60", ListOf::numbers), "[30, 60]");
}

TEST(ListForm, WhatAShellWouldReadIsLeftToTheUser) {
  for (const char* text : {"", "  ", "echo 'a b'", "a \"b\"", "a $X", "a; b", "a | b", "a\nb"})
    EXPECT_EQ(list_form(text, ListOf::texts), "") << text;
}

}  // namespace
}  // namespace ddp
