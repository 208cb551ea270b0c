#include <fmt/format.h>

#include "cli/commands/manual/contents.hpp"
#include "cli/commands/manual/manual_pages.hpp"
#include "cli/commands/manual/render_markdown.hpp"

namespace ddp::cli {
namespace {

/// A row for each verb, with a link to what is said of it.
std::string table_of_verbs(std::span<const Command> commands) {
  std::string table = "| verb | what it does |\n|---|---|\n";
  for (const auto& command : commands) {
    if (is_listed(command)) table += fmt::format("| [`{0}`](#{0}) | {1} |\n", command.name, command.summary);
  }
  return table;
}

std::string part_of(const Command& command) {
  std::vector<Block> blocks{description_of(command), Listing{{synopsis_of(command)}}};
  if (!command.operands.empty()) blocks.emplace_back(operands_of(command));
  auto options = options_of(command);
  options.entries.resize(command.options.size());  // those of all verbs stand above
  if (!options.entries.empty()) {
    blocks.emplace_back(Paragraph{"Options:"});
    blocks.emplace_back(std::move(options));
  }
  if (!command.examples.empty()) {
    blocks.emplace_back(Paragraph{"Examples:"});
    blocks.emplace_back(examples_of(command));
  }
  return render_markdown(Section{std::string(command.name), std::move(blocks)}, 3);
}

}  // namespace

std::string markdown_page(std::span<const Command> commands) {
  auto text = render_markdown(Section{"Command line", introduction()}, 1);
  text += "\n" + render_markdown(
                     {Paragraph{"`man ddpsubmit`, `man ddpsubmit-run` (and so on for each verb) and "
                                "`man ddpsubmit.yaml` say the same where the manual pages are installed. "
                                "`ddpsubmit completion` makes a shell complete all of these words."}});
  text += "\n" + render_markdown(Section{"Options", {common_options()}}, 2);
  text +=
      "\n" + render_markdown(
                 Section{"Runs", {Paragraph{"Where a verb takes a RUN, it can be:"}, run_selectors()}}, 2);
  text += "\n## Verbs\n\n" + table_of_verbs(commands);
  for (const auto& command : commands) {
    if (is_listed(command)) text += "\n" + part_of(command);
  }
  text += "\n" +
          render_markdown(Section{"Exit codes",
                                  {Paragraph{"Of several errors, the highest code counts."}, exit_status()}},
                          2);
  text += "\n" + render_markdown(Section{"Environment variables", {environment_variables()}}, 2);
  text += "\n" + render_markdown(Section{"Files", {files()}}, 2);
  return text;
}

}  // namespace ddp::cli
