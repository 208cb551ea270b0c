#include "cli/launchers/ssh/push/pushed_program.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/launchers/ssh/push/file_hashes.hpp"
#include "tests/support/fake_command_runner.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

TEST(Libraries, AreThoseThatAHostMayLack) {
  const auto libraries = parse_libraries(
      "\tlinux-vdso.so.1 (0x00007fff)\n"
      "\tlibtorch_cpu.so => /opt/torch/lib/libtorch_cpu.so (0x00007f01)\n"
      "\tlibstdc++.so.6 => /lib/x86_64-linux-gnu/libstdc++.so.6 (0x00007f02)\n"
      "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f03)\n"
      "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f04)\n"
      "\tlibutil.so.1 => /lib/x86_64-linux-gnu/libutil.so.1 (0x00007f06)\n"
      "\tlibresolv.so.2 => /lib/x86_64-linux-gnu/libresolv.so.2 (0x00007f07)\n"
      "\tlibgone.so => not found\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f05)\n");
  EXPECT_EQ(libraries, (std::vector<fs::path>{"/opt/torch/lib/libtorch_cpu.so",
                                              "/lib/x86_64-linux-gnu/libstdc++.so.6"}));
}

TEST(Libraries, OfOlderHostsServeWhatNeedsNoNewerOnes) {
  const std::string list =
      "\tlibstdc++.so.6 => /lib/libstdc++.so.6 (0x00007f02)\n"
      "\n\tVersion information:\n"
      "\t/opt/bin/ddptrain:\n"
      "\t\tlibstdc++.so.6 (GLIBCXX_3.4.22) => /lib/libstdc++.so.6\n"
      "\t\tlibstdc++.so.6 (CXXABI_1.3.11) => /lib/libstdc++.so.6\n"
      "\t\tlibc.so.6 (GLIBC_2.36) => /lib/libc.so.6\n"
      "\t/lib/libstdc++.so.6:\n"
      "\t\tlibgcc_s.so.1 (GCC_12.0.0) => /lib/libgcc_s.so.1\n"
      "\t/opt/lib/libtorch_cpu.so:\n";
  EXPECT_TRUE(fits_older_cxx_library(list + "\t\tlibgcc_s.so.1 (GCC_3.0) => /lib/libgcc_s.so.1\n"));
  EXPECT_FALSE(fits_older_cxx_library(list + "\t\tlibstdc++.so.6 (GLIBCXX_3.4.30) => /lib/libstdc++.so.6\n"));
  EXPECT_FALSE(fits_older_cxx_library(list + "\t\tlibstdc++.so.6 (CXXABI_1.3.13) => /lib/libstdc++.so.6\n"));
}

class FileHashes : public testing::Test {
 protected:
  FileHashes() {
    user_.set("PATH", "/usr/bin:/bin");
    user_.set("XDG_CACHE_HOME", temporary_.path());
    std::ofstream(file_) << "abc";
  }

  TemporaryFolder temporary_;
  fs::path file_ = temporary_ / "a file";
  EnvMap user_;
  /// FIPS 180-2, B.1.
  const std::string hash_of_abc_ = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
};

TEST_F(FileHashes, AreThoseOfTheContents) {
  RealCommandRunner runner;
  const auto hashes = hash_files({file_}, user_, runner);
  ASSERT_TRUE(hashes);
  EXPECT_EQ(hashes->at(file_), hash_of_abc_);
}

TEST_F(FileHashes, AreFoundOnceForEachStateOfAFile) {
  RealCommandRunner runner;
  ASSERT_TRUE(hash_files({file_}, user_, runner));
  FakeCommandRunner nobody;
  EXPECT_EQ(hash_files({file_}, user_, nobody)->at(file_), hash_of_abc_);
  EXPECT_TRUE(nobody.requests.empty());
  std::ofstream(file_) << "changed";
  EXPECT_NE(hash_files({file_}, user_, runner)->at(file_), hash_of_abc_);
}

TEST_F(FileHashes, AFileThatIsNotThereIsNamed) {
  RealCommandRunner runner;
  const auto hashes = hash_files({temporary_ / "none"}, user_, runner);
  ASSERT_FALSE(hashes);
  EXPECT_NE(hashes.error().message.find("none"), std::string::npos);
}

TEST(NeededCLibrary, IsTheNewestVersionThatAPushedFileAsksFor) {
  EXPECT_EQ(needed_c_library("\t/opt/ddptrain:\n\t\tlibc.so.6 (GLIBC_2.9) => /lib/libc.so.6\n"
                             "\t\tlibc.so.6 (GLIBC_2.34) => /lib/libc.so.6\n"
                             "\t\tlibm.so.6 (GLIBC_2.2.5) => /lib/libm.so.6\n"
                             "\t\tlibstdc++.so.6 (GLIBCXX_3.4.99) => /lib/libstdc++.so.6\n"),
            "2.34");
  EXPECT_EQ(needed_c_library("statically linked"), "");
}

TEST(NeededCLibrary, LeavesOutFilesThatTheHostHasOfItsOwn) {
  const std::string own =
      "\t/lib/libm.so.6:\n\t\tlibc.so.6 (GLIBC_2.36) => /lib/libc.so.6\n"
      "\t/lib/libstdc++.so.6:\n\t\tlibc.so.6 (GLIBC_2.34) => /lib/libc.so.6\n";
  const std::string torch =
      "\t/opt/libtorch_cpu.so:\n\t\tlibm.so.6 (GLIBC_2.28) => /lib/libm.so.6\n"
      "\t\tlibstdc++.so.6 (GLIBCXX_3.4.22) => /lib/libstdc++.so.6\n";
  EXPECT_EQ(needed_c_library(torch + own), "2.28");
  const std::string newer = "\t\tlibstdc++.so.6 (GLIBCXX_3.4.30) => /lib/libstdc++.so.6\n";
  EXPECT_EQ(needed_c_library(torch + newer + own), "2.34") << "it comes with its libstdc++";
}

TEST(NeededCLibrary, IsComparedByNumbers) {
  EXPECT_TRUE(is_older_version("2.9", "2.34"));
  EXPECT_FALSE(is_older_version("2.34", "2.34"));
  EXPECT_FALSE(is_older_version("2.17", ""));
}

}  // namespace
}  // namespace ddp::cli
