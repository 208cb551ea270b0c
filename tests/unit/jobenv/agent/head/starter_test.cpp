#include "jobenv/agent/head/starter.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

/// What comes until all writers have closed their end.
std::string read_all(int descriptor) {
  std::array<char, 4096> text{};
  const auto size = read_up_to(descriptor, text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(size, 0))};
}

TEST(Starter, HearsTheFirstWordAndTheEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const FileDescriptor reader(ends[0]);
  std::vector<std::string> lines;
  Starter starter(ends[1], [&lines](const std::string& line) { lines.push_back(line); });
  starter.refuse("there is no plan");
  starter.announce({"10.0.0.1:4000", "nonce"});
  EXPECT_EQ(read_all(reader.get()), remote::render_answer(remote::Refused{"there is no plan"}) + "\n");
  EXPECT_THAT(lines, IsEmpty());
}

TEST(Starter, WhatItCannotBeToldIsLogged) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const FileDescriptor writer(ends[1]);
  std::vector<std::string> lines;
  Starter starter(ends[0], [&lines](const std::string& line) { lines.push_back(line); });
  starter.announce({});
  EXPECT_THAT(lines, ElementsAre(StartsWith("--ready-fd: ")));
}

TEST(Starter, MayBeNobody) {
  std::vector<std::string> lines;
  Starter starter(std::nullopt, [&lines](const std::string& line) { lines.push_back(line); });
  starter.refuse("there is no plan");
  EXPECT_THAT(lines, IsEmpty());
}

}  // namespace
}  // namespace ddp::agent
