#include "cli/output/standard_output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <ostream>
#include <string>

#include "jobenv/record/durable_file.hpp"
#include "jobenv/record/file_descriptor.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

TEST(StandardOutput, WritesAllOfIt) {
  const TemporaryFolder folder;
  const FileDescriptor file(open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  StandardOutput buffer(file.get());
  std::ostream out(&buffer);
  std::string text;
  for (int line = 0; text.size() < 200'000; ++line) text += "line " + std::to_string(line) + '\n';
  out << text << 'x';
  out.flush();
  EXPECT_TRUE(out.good());
  EXPECT_EQ(buffer.error(), 0);
  EXPECT_EQ(load_file(folder / "out").value(), text + 'x');
}

TEST(StandardOutput, RemembersTheFirstFailure) {
  const FileDescriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  StandardOutput buffer(full.get());
  std::ostream out(&buffer);
  out << "lost";
  out.flush();
  errno = 0;
  out << "lost, too";
  out.flush();
  EXPECT_FALSE(out.good());
  EXPECT_EQ(buffer.error(), ENOSPC);
}

}  // namespace
}  // namespace ddp::cli
