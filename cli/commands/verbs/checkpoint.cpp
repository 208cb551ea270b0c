#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/checkpoint/checkpoint_info_text.hpp"
#include "cli/checkpoint/find_checkpoints.hpp"
#include "cli/checkpoint/merge_tensors.hpp"
#include "cli/checkpoint/verify_checkpoint.hpp"
#include "cli/commands/output_file.hpp"
#include "cli/commands/watch/find_run.hpp"
#include "cli/output/count_text.hpp"
#include "cli/output/size_text.hpp"
#include "cli/store/state/run_records.hpp"
#include "ddp/jobenv/terminal.hpp"
#include "jobenv/config/suggestion.hpp"
#include "jobenv/record/files/last_slash.hpp"
#include "jobenv/record/latest_checkpoint.hpp"

namespace ddp::cli {
namespace {

using std::filesystem::path;

constexpr std::array kCheckpointActions = {
    Choice{"info", "print what a checkpoint holds"},
    Choice{"verify", "read checkpoints and say whether they are damaged"},
    Choice{"merge", "write one file with all tensors of the model"},
};

constexpr Operand kCheckpointAction{"ACTION", "info, verify or merge", Arity::one, WordKind::text,
                                    kCheckpointActions};
constexpr Operand kCheckpointPath{
    "PATH",
    "folder of a checkpoint, file LATEST or BEST, or run folder or run, whose newest checkpoint counts",
    Arity::at_least_one, WordKind::checkpoint};

constexpr Option kAllOption{"--all", "",
                            "info: list all tensors; verify: all checkpoints of a run, not only the newest"};
constexpr Option kMergedFile{.name = "--output",
                             .value = "FILE",
                             .doc = "merge: the safetensors file to write",
                             .kind = WordKind::file,
                             .short_name = "-o"};
constexpr Option kReplace{"--force", "", "merge: replace FILE if it exists"};
constexpr Option kOfOptimizer{"--optimizer", "", "merge: the state of the optimizer instead of the model"};

/// The options of this verb that an action does not take.
struct ForeignOptions {
  std::string_view action;
  std::vector<std::string_view> options;
};

/// A checkpoint that was found for a word of the line, and the words that mean none.
struct FoundCheckpoints {
  std::vector<path> folders;
  Errors errors;
};

Expected<void> check_action(const Arguments& arguments) {
  const auto action = *arguments.one(kCheckpointAction.name);
  const std::array<ForeignOptions, 3> foreign = {
      ForeignOptions{"info", {kMergedFile.name, kReplace.name, kOfOptimizer.name}},
      ForeignOptions{"verify", {kMergedFile.name, kReplace.name, kOfOptimizer.name}},
      ForeignOptions{"merge", {kAllOption.name}}};
  for (const auto option : std::ranges::find(foreign, action, &ForeignOptions::action)->options) {
    if (arguments.has(option))
      return fail(ExitCode::usage, fmt::format("'checkpoint {}' has no option '{}'", action, option),
                  "see: ddpsubmit checkpoint --help");
  }
  if (action != "verify" && arguments.all(kCheckpointPath.name).size() > 1)
    return fail(ExitCode::usage, fmt::format("'checkpoint {}' takes one PATH", action),
                "several are accepted by 'checkpoint verify'");
  return {};
}

/// Without the slash that completion leaves at the end.
path place_of(const std::string& word, const Context& context) {
  return without_last_slash((context.current_folder / word).lexically_normal());
}

Error explain_no_checkpoint(const std::string& word, const path& place) {
  std::error_code error;
  if (!std::filesystem::exists(place, error))
    return {
        ExitCode::not_found, fmt::format("there is no checkpoint and no run '{}'", word),
        "give the folder of a checkpoint (step-NNNNNNNN-aN), a file LATEST or BEST, or a run of: ddpsubmit "
        "list"};
  return {ExitCode::not_found, fmt::format("'{}' has no checkpoint", word),
          "a checkpoint is a folder checkpoints/step-NNNNNNNN-aN of a run folder"};
}

/// A path that leads to a checkpoint goes before a run of that name.
Expected<std::vector<path>> find_named(const std::string& word, WantedCheckpoints wanted,
                                       const Context& context) {
  const auto place = place_of(word, context);
  if (auto found = find_checkpoints(place, wanted); !found.empty()) return found;
  const auto run = find_run(word, context);
  if (!run && run.error().code != ExitCode::not_found) return tl::unexpected(run.error());
  if (!run) return tl::unexpected(explain_no_checkpoint(word, place));
  if (auto found = find_checkpoints(run->run_dir, wanted); !found.empty()) return found;
  return fail(ExitCode::not_found, fmt::format("run '{}' has no checkpoint", run->run_id),
              "see what it has: ddpsubmit describe " + run->run_id);
}

/// Of a run on hosts that share no folder, only the manifest is here until a checkpoint is fetched.
bool is_elsewhere(const path& checkpoint) {
  const auto plan = load_run_plan(RunFolder(checkpoint.parent_path().parent_path()));
  return plan && !plan->shared_folder && !has_all_files(checkpoint);
}

void tell_elsewhere(const path& checkpoint, const Context& context) {
  if (!is_elsewhere(checkpoint)) return;
  const RunFolder run(checkpoint.parent_path().parent_path());
  context.reporter.note(
      fmt::format("the files of {} are on the first host of the run; to copy the newest checkpoint "
                  "here: ddpsubmit fetch {}",
                  checkpoint.filename().string(), run.run_id()));
}

FoundCheckpoints find_all_named(const Arguments& arguments, const Context& context) {
  const auto wanted = arguments.has(kAllOption.name) ? WantedCheckpoints::all : WantedCheckpoints::newest;
  FoundCheckpoints all;
  for (const auto& word : arguments.all(kCheckpointPath.name)) {
    auto found = find_named(word, wanted, context);
    if (!found) {
      all.errors.push_back(found.error());
      continue;
    }
    const bool is_one = found->size() == 1;
    if (!is_one) std::erase_if(*found, is_elsewhere);
    for (auto& folder : *found) {
      tell_elsewhere(folder, context);
      if (std::ranges::find(all.folders, folder) == all.folders.end())
        all.folders.push_back(std::move(folder));
    }
  }
  return all;
}

Expected<path> find_one(const Arguments& arguments, const Context& context) {
  auto found = find_named(*arguments.one(kCheckpointPath.name), WantedCheckpoints::newest, context);
  if (!found) return tl::unexpected(found.error());
  tell_elsewhere(found->front(), context);
  return std::move(found->front());
}

Outcome show_info(const Arguments& arguments, Context& context) {
  const auto folder = find_one(arguments, context);
  if (!folder) return refuse(folder.error());
  const auto info = load_checkpoint_info(*folder);
  if (!info) return refuse(info.error());
  const auto listed = arguments.has(kAllOption.name) ? ListedTensors::all : ListedTensors::some;
  context.reporter.answer({.schema = "ddpsubmit.checkpoint_info.v1",
                           .value = to_json(*info),
                           .text = render_checkpoint_info(*info, listed, terminal_columns(STDOUT_FILENO))});
  return ExitCode::ok;
}

nlohmann::json to_json(const Verification& verification) {
  nlohmann::json faults = nlohmann::json::array();
  for (const auto& fault : verification.faults)
    faults.push_back({{"file", fault.file}, {"what", fault.what}});
  return {{"folder", verification.folder.string()},
          {"valid", verification.is_valid()},
          {"step", verification.step},
          {"files", verification.files},
          {"bytes", verification.bytes},
          {"tensors", verification.tensors},
          {"shards", verification.shards},
          {"faults", std::move(faults)}};
}

std::string render(const Verification& verification) {
  const auto folder = verification.folder.string();
  if (verification.is_valid())
    return fmt::format("ok: {}\n  step {}, {}, {}, {}\n", folder, verification.step,
                       render_count(verification.files, "file"), render_file_size(verification.bytes),
                       render_count(verification.tensors, "tensor"));
  std::string text = fmt::format("damaged: {}\n", folder);
  for (const auto& fault : verification.faults) text += fmt::format("  {}\n", render_fault(fault));
  return text;
}

Outcome verify(const Arguments& arguments, Context& context) {
  auto found = find_all_named(arguments, context);
  if (found.folders.empty()) return tl::unexpected(std::move(found.errors));
  Report report{.schema = "ddpsubmit.checkpoint_verify.v1", .value = {}, .text = {}};
  nlohmann::json values = nlohmann::json::array();
  bool all_valid = true;
  for (const auto& folder : found.folders) {
    const auto verification = verify_checkpoint(folder);
    all_valid = all_valid && verification.is_valid();
    values.push_back(to_json(verification));
    report.text += render(verification);
  }
  report.value = {{"valid", all_valid}, {"checkpoints", std::move(values)}};
  context.reporter.partial_answer(report, found.errors);
  return all_valid ? worst_code(found.errors) : ExitCode::no_valid_checkpoint;
}

std::string render_merge(const MergedTensors& merged, const std::string& file) {
  const auto what = merged.shards == 0
                        ? std::string("copied")
                        : "merged " + render_count(static_cast<std::size_t>(merged.shards), "shard") + ":";
  return fmt::format("{} {}, {}\n  {}\n", what, render_count(merged.tensors, "tensor"),
                     render_file_size(merged.bytes), file);
}

Outcome merge(const Arguments& arguments, Context& context) {
  const auto file = arguments.one(kMergedFile.name);
  if (!file)
    return refuse({ExitCode::usage, "'checkpoint merge' needs --output FILE",
                   "for example: ddpsubmit checkpoint merge last --output model.safetensors"});
  const auto target = context.current_folder / *file;
  if (auto checked = check_output_file(target); !checked) return refuse(checked.error());
  const auto folder = find_one(arguments, context);
  if (!folder) return refuse(folder.error());
  const auto part =
      arguments.has(kOfOptimizer.name) ? trainer::TensorPart::optimizer : trainer::TensorPart::model;
  const auto replacement = arguments.has(kReplace.name) ? Replacement::allowed : Replacement::refused;
  const auto merged = merge_tensors(*folder, part, target, replacement);
  if (!merged) return refuse(merged.error());
  context.reporter.answer({.schema = "ddpsubmit.checkpoint_merge.v1",
                           .value = {{"checkpoint", folder->string()},
                                     {"part", name_of(part)},
                                     {"output", target.string()},
                                     {"tensors", merged->tensors},
                                     {"shards", merged->shards},
                                     {"bytes", merged->bytes}},
                           .text = render_merge(*merged, *file)});
  return ExitCode::ok;
}

Outcome checkpoint(const Arguments& arguments, Context& context) {
  if (auto checked = check_action(arguments); !checked) return refuse(checked.error());
  const auto action = *arguments.one(kCheckpointAction.name);
  if (action == "info") return show_info(arguments, context);
  return action == "verify" ? verify(arguments, context) : merge(arguments, context);
}

}  // namespace

Command checkpoint_command() {
  return {
      .name = "checkpoint",
      .summary = "Show what a checkpoint of a training holds, verify it, or merge its shards into one file",
      .operands = {kCheckpointAction, kCheckpointPath},
      .options = {kAllOption, kMergedFile, kReplace, kOfOptimizer},
      .description =
          "`info` prints step, settings and tensors, and reads no data. `verify` reads every file: sizes "
          "and sums, headers, and whether the shards hold each row of a tensor once. It accepts several "
          "PATHs, and ends with exit code 9 if a checkpoint is damaged. `merge` writes one safetensors "
          "file with all parameters and buffers of the model, from shards or from a checkpoint that is "
          "not sharded. The file appears only when it is complete.",
      .examples = {{"checkpoint info last", "the newest checkpoint of the newest run"},
                   {"checkpoint verify train --all", "all checkpoints of a run"},
                   {"checkpoint verify runs/*/checkpoints/step-*", "many checkpoints"},
                   {"checkpoint merge last --output model.safetensors",
                    "in Python: safetensors.torch.load_file(\"model.safetensors\")"}},
      .run = checkpoint};
}

}  // namespace ddp::cli
