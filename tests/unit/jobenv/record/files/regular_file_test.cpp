#include "jobenv/record/files/regular_file.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_piece.hpp"
#include "jobenv/record/files/file_stream.hpp"
#include "jobenv/record/files/file_tail.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

class RegularFileTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(save_file(folder / "file", "text\n", Durability::visible));
    ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    const std::string place = folder / "socket";
    std::memcpy(address.sun_path, place.c_str(), place.size() + 1);
    const FileDescriptor listener(socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    std::filesystem::create_symlink("/dev/zero", folder / "device");
    std::filesystem::create_symlink("file", folder / "link");
    std::filesystem::create_directory(folder / "folder");
  }

  TemporaryFolder folder;
};

TEST_F(RegularFileTest, IsOpened) {
  const auto file = open_regular_file(folder / "file");
  ASSERT_TRUE(file);
  std::string text(5, '\0');
  EXPECT_EQ(read_up_to(file->descriptor.get(), text.data(), text.size()), 5);
  EXPECT_EQ(text, "text\n");
  EXPECT_EQ(file->size, 5U);
  EXPECT_TRUE(open_regular_file(folder / "link"));
  EXPECT_FALSE(open_regular_file(folder / "link", Links::refused));
  EXPECT_EQ(open_regular_file(folder / "no").error().code, ExitCode::not_found);
}

TEST_F(RegularFileTest, IsNothingElse) {
  for (const std::string name : {"fifo", "socket", "device", "folder"}) {
    const auto place = folder / name;
    const auto opened = open_regular_file(place);
    ASSERT_FALSE(opened) << name;
    const std::string kind = name == "fifo" ? "FIFO" : name;
    EXPECT_EQ(opened.error().message,
              "cannot read " + place.string() + ": it is a " + kind + ", not a regular file");
    EXPECT_FALSE(load_file(place)) << name;
    EXPECT_EQ(load_tail(place, 100), "") << name;
    EXPECT_EQ(load_piece(folder.path(), name, 0).bytes, "") << name;
    std::string line;
    FileStream stream(place);
    EXPECT_FALSE(std::getline(stream, line)) << name;
  }
}

TEST_F(RegularFileTest, IsReadAsAStreamHoweverLongItIs) {
  const std::string text(200'000, 'x');
  ASSERT_TRUE(save_file(folder / "long", text + "\nend", Durability::visible));
  FileStream stream(folder / "long");
  std::string line;
  ASSERT_TRUE(std::getline(stream, line));
  EXPECT_EQ(line, text);
  ASSERT_TRUE(std::getline(stream, line));
  EXPECT_EQ(line, "end");
  EXPECT_FALSE(std::getline(stream, line));
}

}  // namespace
}  // namespace ddp
