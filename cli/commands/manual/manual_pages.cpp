#include "cli/commands/manual/manual_pages.hpp"

#include <algorithm>

#include "cli/commands/manual/configuration_page.hpp"
#include "cli/commands/manual/contents.hpp"

namespace ddp::cli {
namespace {

Section see_also(std::string pages) {
  return {"See also", {Paragraph{std::move(pages)}}};
}

Section section_of_verbs(std::span<const Command> commands) {
  Entries verbs;
  for (const auto& command : commands) {
    if (is_listed(command))
      verbs.entries.push_back({std::string(command.name), std::string(command.summary) + "."});
  }
  return {"Verbs",
          {std::move(verbs),
           Paragraph{"Each verb has a page of its own: `man ddpsubmit-run` is about `ddpsubmit run`. "
                     "`ddpsubmit run --help` is shorter."}}};
}

ManualPage program_page(std::span<const Command> commands) {
  std::string others;
  for (const auto& command : commands) {
    if (is_listed(command)) others += "`ddpsubmit-" + std::string(command.name) + "`(1), ";
  }
  return {.name = "ddpsubmit",
          .chapter = 1,
          .summary = "distributed training jobs from one YAML file",
          .sections = {{"Synopsis", {Paragraph{"`ddpsubmit` VERB [OPTIONS] [ARGUMENTS]..."}}},
                       {"Description", introduction()},
                       section_of_verbs(commands),
                       {"Options", {common_options()}},
                       {"Runs", {Paragraph{"Where a verb takes a RUN, it can be:"}, run_selectors()}},
                       {"Exit status", {exit_status()}},
                       {"Environment", {environment_variables()}},
                       {"Files", {files()}},
                       see_also(others + "`ddpsubmit.yaml`(5)")}};
}

ManualPage page_of(const Command& command) {
  const auto synopsis = synopsis_of(command);
  const auto program = "ddpsubmit " + std::string(command.name);
  ManualPage page{
      .name = "ddpsubmit-" + std::string(command.name),
      .chapter = 1,
      .summary = std::string(command.summary),
      .sections = {{"Synopsis", {Paragraph{"`" + program + "`" + synopsis.substr(program.size())}}},
                   {"Description", {description_of(command)}}}};
  if (!command.operands.empty()) page.sections.push_back({"Arguments", {operands_of(command)}});
  page.sections.push_back({"Options", {options_of(command)}});
  if (!command.examples.empty()) page.sections.push_back({"Examples", {examples_of(command)}});
  page.sections.push_back(
      {"Exit status",
       {Paragraph{
           "0 means success. `ddpsubmit`(1) lists the other codes, and environment variables and files."}}});
  page.sections.push_back(see_also("`ddpsubmit`(1), `ddpsubmit.yaml`(5)"));
  return page;
}

}  // namespace

std::vector<ManualPage> manual_pages(std::span<const Command> commands) {
  std::vector<ManualPage> pages{program_page(commands)};
  for (const auto& command : commands) {
    if (is_listed(command)) pages.push_back(page_of(command));
  }
  pages.push_back(configuration_page());
  return pages;
}

}  // namespace ddp::cli
