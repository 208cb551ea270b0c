#include "jobenv/agent/notify/url_credentials.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

TEST(UrlCredentials, AreHidden) {
  EXPECT_EQ(without_url_credentials("cannot open postgres://ada:pw@db:5432/runs"),
            "cannot open postgres://[hidden]@db:5432/runs");
  EXPECT_EQ(without_url_credentials("https://token@a and 'ftp://ada:p@ss@b'"),
            "https://[hidden]@a and 'ftp://[hidden]@b'");
  EXPECT_EQ(without_url_credentials("https://ada:pw@"), "https://[hidden]@");
}

TEST(UrlCredentials, AnythingElseStays) {
  for (const char* text : {"", "://", "https://host/a@b", "see https://host?x=a@b", "ada@host", "a@b ://c",
                           "https://host mail ada@host", "https://@host"})
    EXPECT_EQ(without_url_credentials(text), text);
}

}  // namespace
}  // namespace ddp::agent
