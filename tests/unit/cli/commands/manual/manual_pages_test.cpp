#include "cli/commands/manual/manual_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/commands/exit_codes.hpp"
#include "cli/commands/manual/example_files.hpp"
#include "cli/commands/manual/render_markdown.hpp"
#include "cli/commands/manual/render_troff.hpp"
#include "cli/commands/registry.hpp"
#include "cli/spec/load_run_spec.hpp"
#include "jobenv/config/diagnostic.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::HasSubstr;

std::string troff(std::vector<Block> blocks) {
  const ManualPage page{.name = "x", .summary = "y", .sections = {{"Description", std::move(blocks)}}};
  const auto text = render_troff(page, {"2026-01-31", "ddpsubmit 1.2.3"});
  return text.substr(text.find("\"DESCRIPTION\"\n") + 14);
}

TEST(RenderTroff, BeginsAsManWantsIt) {
  const auto text = render_troff({.name = "ddpsubmit-run", .summary = "start", .sections = {}},
                                 {"2026-01-31", "ddpsubmit 1.2.3"});
  EXPECT_EQ(text,
            ".TH \"DDPSUBMIT\\-RUN\" 1 2026-01-31 \"ddpsubmit 1.2.3\" \"User Commands\"\n"
            ".nh\n.ad l\n.SH NAME\nddpsubmit\\-run \\- start\n");
}

TEST(RenderTroff, EscapesWhatTroffReadsOtherwise) {
  EXPECT_EQ(troff({Paragraph{"a\\b 'c' ~/d and `--json -v`, re-use --x"}}),
            "a\\(rsb \\(aqc\\(aq \\(ti/d and \\fB\\-\\-json \\-v\\fR, re-use \\-\\-x\n");
  EXPECT_EQ(troff({Paragraph{".yaml is\xE2\x80\xA6"}}), "\\&.yaml is\\[u2026]\n");
  EXPECT_EQ(troff({Listing{{".dot", "a-b"}}}), ".RS 4\n.nf\n\\&.dot\na\\-b\n.fi\n.RE\n");
}

TEST(RenderTroff, PutsTermsBeforeTheirMeaning) {
  EXPECT_EQ(troff({Entries{{{"--rank N", "One. Two."}}}}), ".TP\n\\fB\\-\\-rank N\\fR\nOne.\nTwo.\n");
}

TEST(RenderMarkdown, WrapsAndKeepsCodeTogether) {
  const std::string words(110, 'x');
  EXPECT_EQ(render_markdown({Paragraph{words + " `a b c d` <z>"}}), words + " `a b c d`\n\\<z>\n");
  EXPECT_EQ(render_markdown({Entries{{{"--a", "B."}}}, Listing{{"c"}}}), "- `--a`: B.\n\n```\nc\n```\n");
}

TEST(RenderTroff, AHeadingBeginsTheParagraphBehindIt) {
  EXPECT_EQ(troff({Paragraph{"A."}, Heading{"train.data"}, Paragraph{"B."}, Paragraph{"C."}}),
            "A.\n.SS \"train.data\"\nB.\n.PP\nC.\n");
}

TEST(ConfigurationPage, ItsExamplesAreWholeFilesThatAreValid) {
  const TemporaryFolder folder;
  std::string page;
  for (const auto& each : manual_pages(all_commands())) {
    if (each.name == "ddpsubmit.yaml") page = render_troff(each, {"2026-01-31", "ddpsubmit 1.2.3"});
  }
  EXPECT_EQ(example_files().size(), 4U);
  for (const auto& example : example_files()) {
    EXPECT_THAT(page, HasSubstr(".SS \"" + std::string(example.title) + "\"\n"));
    std::ofstream(folder / "example.yaml") << example.text;
    const auto spec = load_run_spec({.file = "example.yaml",
                                     .arguments = {},
                                     .environment = {},
                                     .current_folder = folder.path(),
                                     .installed_folder = {}});
    EXPECT_TRUE(spec) << example.title << "\n" << render_diagnostics(spec ? Errors{} : spec.error());
  }
}

TEST(ManualPages, OneForEachVerbThatIsListed) {
  const auto commands = all_commands();
  std::vector<std::string> names;
  for (const auto& page : manual_pages(commands)) names.push_back(page.name);
  for (const auto& command : commands) {
    const auto name = "ddpsubmit-" + std::string(command.name);
    EXPECT_EQ(std::ranges::count(names, name), is_listed(command) ? 1 : 0) << name;
  }
  EXPECT_EQ(names.front(), "ddpsubmit");
  EXPECT_EQ(names.back(), "ddpsubmit.yaml");
}

TEST(ManualPages, TellEveryOptionAndEveryExitCode) {
  const auto commands = all_commands();
  const auto text = markdown_page(commands);
  for (const auto& command : commands) {
    if (!is_listed(command)) continue;
    for (const auto& option : command.options)
      EXPECT_THAT(text, ContainsRegex("`(-[a-z], )?" + std::string(option.name)));
  }
  for (const auto& row : exit_codes())
    EXPECT_THAT(text, HasSubstr("\n- `" + std::to_string(static_cast<int>(row.code)) + "`: "));
}

TEST(ManualPages, TheCommittedPageIsTheProgramsOwn) {
  std::ifstream file(source_path("docs/cli.md"));
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), markdown_page(all_commands()))
      << "make it again: build/release/bin/ddpsubmit manual --markdown >docs/cli.md";
}

}  // namespace
}  // namespace ddp::cli
