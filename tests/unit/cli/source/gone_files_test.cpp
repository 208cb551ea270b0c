#include "cli/source/gone_files.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(GoneFiles, ThatAreBackAreCopied) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "root");
  std::ofstream(folder / "root/a.py") << "saved";
  std::ofstream(folder / "root/other.py") << "1";
  const TreeEntry back{"a.py", EntryKind::file, 5, true};
  const TreeEntry away{"b.py", EntryKind::file, 7, true};
  const CopiedTree first{.files = 3, .bytes = 30, .gone = {back, away}};
  const TreeList now{.entries = {back, {"other.py", EntryKind::file, 1, true}}, .bytes = 6};
  const auto both = copy_gone_files(first, now, folder / "root", folder / "copy");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->files, 4u);
  EXPECT_EQ(both->bytes, 35u);
  EXPECT_THAT(both->gone, ElementsAre(away));
  EXPECT_EQ(load_file(folder / "copy/a.py").value(), "saved");
  EXPECT_FALSE(fs::exists(folder / "copy/other.py")) << "it is in the first copy";
}

TEST(GoneFiles, AreAnErrorIfGitTracksThem) {
  const TreeEntry scratch{"notes", EntryKind::file, 0, false};
  EXPECT_THAT(remark_on_gone_files({.files = 0, .bytes = 0, .gone = {scratch}}, "/r").value(),
              ElementsAre(HasSubstr("'/r/notes' was removed while")));
  const TreeEntry code{"train.py", EntryKind::file, 0, true};
  const auto refused = remark_on_gone_files({.files = 0, .bytes = 0, .gone = {scratch, code}}, "/r");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("'/r/train.py'"));
  EXPECT_THAT(refused.error().hint, HasSubstr("run it again"));
}

}  // namespace
}  // namespace ddp::cli
