#include "cli/spec/first_file.hpp"

#include <gtest/gtest.h>

#include "spec_folder.hpp"

namespace ddp::cli {
namespace {

using FirstFileTest = SpecFolder;

std::string render(const LauncherRow* launcher, std::vector<std::string> command) {
  return render_first_file(
      {.name = "train.yaml", .schema = "./schema.json", .launcher = launcher, .command = std::move(command)});
}

TEST_F(FirstFileTest, NamesTheSchemaOnItsFirstLine) {
  EXPECT_TRUE(
      render(all_launchers().front(), {}).starts_with("# yaml-language-server: $schema=./schema.json\n"));
}

TEST_F(FirstFileTest, IsValidForEachLauncher) {
  for (const auto* launcher : all_launchers()) {
    for (const auto& command : {std::vector<std::string>{}, std::vector<std::string>{"true"}}) {
      const RunSpec spec = good(render(launcher, command));
      EXPECT_EQ(spec.launcher, launcher);
      EXPECT_EQ(spec.command, command);
      EXPECT_EQ(spec.train.has_value(), command.empty());
    }
  }
}

TEST_F(FirstFileTest, KeepsEachWordOfTheCommand) {
  const std::vector<std::string> command{"python", "a b.py",       "--lr",     "0.1",  "",
                                         "true",   "it's \"{x}\"", "a: b # c", "$HOME"};
  EXPECT_EQ(good(render(all_launchers().front(), command)).command, command);
}

TEST_F(FirstFileTest, ALauncherWithoutLinesOfItsOwnGetsTheOrdinaryOnes) {
  const LauncherRow launcher{.name = "queue", .traits = {}};
  EXPECT_NE(render(&launcher, {}).find("\nresources:\n  nodes: 1"), std::string::npos);
}

}  // namespace
}  // namespace ddp::cli
