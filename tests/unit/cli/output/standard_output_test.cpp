#include "cli/output/standard_output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ostream>
#include <string>
#include <thread>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
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

TEST(StandardOutput, WaitsForTheReaderOfANonBlockingPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  fcntl(write_end.get(), F_SETFL, O_NONBLOCK);
  constexpr std::size_t kSize = 300'000;  // more than the pipe holds
  std::size_t arrived = 0;
  std::thread reader([&] {
    std::array<char, 4096> part{};
    for (ssize_t size = 0; (size = read(read_end.get(), part.data(), part.size())) > 0;)
      arrived += static_cast<std::size_t>(size);
  });
  StandardOutput buffer(write_end.get());
  std::ostream out(&buffer);
  out << std::string(kSize, 'x');
  out.flush();
  write_end = FileDescriptor();
  reader.join();
  EXPECT_EQ(buffer.error(), 0);
  EXPECT_EQ(arrived, kSize);
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
