#include <fmt/chrono.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "cli/commands/complete/scripts.hpp"
#include "cli/commands/manual/manual_pages.hpp"
#include "cli/commands/manual/render_troff.hpp"
#include "cli/commands/registry.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

constexpr Option kMarkdown{"--markdown", "", "print docs/cli.md"};
constexpr Option kShare{
    "--share", "DIR",
    "write the manual pages and the completion scripts where an installation has them below DIR",
    WordKind::folder};

/// Today, or when SOURCE_DATE_EPOCH says: the same sources then give the same bytes.
std::string choose_date(const Context& context) {
  constexpr std::int64_t kYear9999 = 253'402'300'799;
  const auto epoch = parse_whole_number(context.environment.get("SOURCE_DATE_EPOCH").value_or(""));
  const std::time_t time = epoch && *epoch <= kYear9999
                               ? static_cast<std::time_t>(*epoch)
                               : std::chrono::system_clock::to_time_t(context.system.clock.now());
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(time));
}

Expected<void> write_file(const std::filesystem::path& file, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (stream) return {};
  return fail(ExitCode::run_failed, "cannot write '" + file.string() + "'");
}

Expected<void> write_share(const std::filesystem::path& folder, const Context& context) {
  const Edition edition{.date = choose_date(context), .version = "ddpsubmit " DDP_VERSION};
  for (const auto& page : manual_pages(all_commands())) {
    const auto file = folder / fmt::format("man/man{0}/{1}.{0}", page.chapter, page.name);
    if (auto written = write_file(file, render_troff(page, edition)); !written) return written;
  }
  for (const auto& script : completion_scripts()) {
    if (auto written = write_file(folder / script.file, script.text); !written) return written;
  }
  return {};
}

Outcome manual(const Arguments& arguments, Context& context) {
  const auto folder = arguments.one(kShare.name);
  if (arguments.has(kMarkdown.name) == folder.has_value())
    return refuse({ExitCode::usage, "give either --markdown or --share DIR"});
  if (folder && folder->empty()) return refuse({ExitCode::usage, "--share needs the name of a folder"});
  if (folder) {
    const auto written = write_share(context.current_folder / *folder, context);
    if (!written) return refuse(written.error());
  }
  auto text = folder ? std::string() : markdown_page(all_commands());
  context.reporter.answer({.schema = "ddpsubmit.manual.v1", .value = {{"text", text}}, .text = text});
  return ExitCode::ok;
}

}  // namespace

Command manual_command() {
  return {.name = "manual",
          .summary = "Write the manual pages and the completion scripts, or print the page about the verbs",
          .operands = {},
          .options = {kMarkdown, kShare},
          .examples = {{"manual --markdown", "docs/cli.md"},
                       {"manual --share share", "share/man/man1/ddpsubmit.1, and the others"}},
          .run = manual,
          .caller = Caller::programs};
}

}  // namespace ddp::cli
