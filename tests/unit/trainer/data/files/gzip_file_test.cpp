#include "trainer/data/files/gzip_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/data/files/gzipped.hpp"

namespace ddp::trainer {
namespace {

namespace fs = std::filesystem;

class GzipFile : public testing::Test {
 protected:
  void SetUp() override { setenv("XDG_CACHE_HOME", cache_.c_str(), 1); }
  void TearDown() override { unsetenv("XDG_CACHE_HOME"); }
  HeldBytes load(const std::string& content) {
    const std::string gzip = gzipped(content);
    std::ofstream(file_, std::ios::binary) << gzip;
    return load_gzip(file_, {reinterpret_cast<const std::uint8_t*>(gzip.data()), gzip.size()});
  }
  static std::string text(const HeldBytes& file) { return {file.bytes.begin(), file.bytes.end()}; }
  /// Without locks.
  [[nodiscard]] std::vector<fs::path> kept() const {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(cache_, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->is_regular_file() && entry->path().extension() != ".lock") files.push_back(entry->path());
    return files;
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "images.gz";
  fs::path cache_ = folder_ / "cache";
};

TEST_F(GzipFile, IsDecompressedOnceAndKept) {
  EXPECT_EQ(text(load("some bytes")), "some bytes");
  ASSERT_EQ(kept().size(), 1U);
  std::ofstream(kept().front()) << "what is kept";
  const std::string gzip = gzipped("some bytes");
  EXPECT_EQ(text(load_gzip(file_, {reinterpret_cast<const std::uint8_t*>(gzip.data()), gzip.size()})),
            "what is kept");
}

TEST_F(GzipFile, OfAnotherContentIsAnother) {
  EXPECT_EQ(text(load("some bytes")), "some bytes");
  EXPECT_EQ(text(load("other byte")), "other byte");
  EXPECT_EQ(kept().size(), 2U);
}

TEST_F(GzipFile, GoesIntoMemoryWhereNothingCanBeKept) {
  std::ofstream(cache_) << "a file in its place";
  EXPECT_EQ(text(load("some bytes")), "some bytes");
  setenv("XDG_CACHE_HOME", "relative", 1);
  const std::string home = getenv("HOME") != nullptr ? getenv("HOME") : "";
  unsetenv("HOME");
  EXPECT_EQ(text(load("some bytes")), "some bytes");
  setenv("HOME", home.c_str(), 1);
}

TEST_F(GzipFile, SeveralThatOpenItAtOnceHaveTheSame) {
  const std::string gzip = gzipped("some bytes");
  std::ofstream(file_, std::ios::binary) << gzip;
  std::vector<std::string> texts(8);
  std::vector<std::thread> threads;
  for (std::string& each : texts) {
    threads.emplace_back([&] {
      each = text(load_gzip(file_, {reinterpret_cast<const std::uint8_t*>(gzip.data()), gzip.size()}));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(texts, std::vector<std::string>(8, "some bytes"));
  EXPECT_EQ(kept().size(), 1U);
}

}  // namespace
}  // namespace ddp::trainer
