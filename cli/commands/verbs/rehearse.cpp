#include <fmt/format.h>

#include "cli/commands/start/hold_rehearsal.hpp"
#include "cli/commands/start/load_config.hpp"
#include "cli/rehearsal/disturbances.hpp"
#include "cli/rehearsal/rehearsal_spec.hpp"
#include "cli/rehearsal/rehearsal_text.hpp"
#include "cli/store/run_id.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

constexpr Option kRanks{"--ranks", "N",
                        "number of ranks on this machine (default: 2, or 1 if the job has only one)"};
constexpr Option kSteps{
    "--steps", "N",
    "optimizer steps of a 'train:' run (default: about three seconds of training, at least 40 steps)"};
constexpr Option kSeed{
    "--seed", "N",
    "random seed for the step of the stop, the step of the kill and the killed rank (default: random)"};
constexpr Option kMtbf{"--mtbf", "DURATION",
                       "mean time between failures of the whole job, for example 12h (default: 24h)"};
constexpr Option kKeep{"--keep", "", "keep the runs even when the results are equal"};

constexpr std::chrono::hours kStandardMtbf{24};
constexpr std::int64_t kMostRanks = 1024;
constexpr std::uint64_t kSeeds = 1'000'000;  // short ones are easier to type

/// The whole number given for `option`, or nullopt where it is not given.
Expected<std::optional<std::int64_t>> number_of(const Option& option, const Arguments& arguments,
                                                std::int64_t lowest, std::int64_t highest) {
  const auto text = arguments.one(option.name);
  if (!text) return std::nullopt;
  const auto number = parse_whole_number(*text);
  if (number && *number >= lowest && *number <= highest) return number;
  return fail(ExitCode::usage, fmt::format("{}: '{}' is not a whole number from {} to {}", option.name, *text,
                                           lowest, highest));
}

Expected<std::optional<std::chrono::seconds>> mtbf_of(const Arguments& arguments) {
  const auto text = arguments.one(kMtbf.name);
  if (!text) return std::nullopt;
  const auto duration = parse_duration(*text, DurationForm::units);
  if (duration && *duration > std::chrono::seconds(0)) return *duration;
  return fail(ExitCode::usage, fmt::format("{}: '{}' is not a valid duration", kMtbf.name, *text),
              "write it as 90m, 12h or 7d");
}

/// All that is wrong with them at once.
tl::expected<RehearsalTerms, Errors> parse_terms(const Arguments& arguments) {
  const auto ranks = number_of(kRanks, arguments, 1, kMostRanks);
  const auto steps = number_of(kSteps, arguments, kFewestSteps, INT32_MAX);
  const auto seed = number_of(kSeed, arguments, 0, INT64_MAX);
  const auto mtbf = mtbf_of(arguments);
  Errors errors;
  for (const auto* number : {&ranks, &steps, &seed})
    if (!*number) errors.push_back(number->error());
  if (!mtbf) errors.push_back(mtbf.error());
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  RehearsalTerms terms{.ranks = static_cast<int>(ranks->value_or(0)),
                       .steps = *steps,
                       .seed = static_cast<std::uint64_t>(seed->value_or(0)),
                       .mtbf = mtbf->value_or(kStandardMtbf),
                       .mtbf_source = *mtbf ? MtbfSource::option : MtbfSource::standard};
  if (!*seed) terms.seed = random_number() % kSeeds;
  return terms;
}

/// An option of which a command has no use.
std::optional<Error> find_idle_option(const RunSpec& job, const Arguments& arguments) {
  if (job.train) return std::nullopt;
  if (arguments.has(kSteps.name))
    return Error{ExitCode::usage,
                 "--steps needs a 'train:' section; a command decides itself how many steps it runs",
                 "let the program do fewer steps, for example with environment.set.EPOCHS=1"};
  if (arguments.has(kMtbf.name))
    return Error{ExitCode::usage,
                 "--mtbf needs a 'train:' section; for a command no checkpoint interval is recommended",
                 "leave out --mtbf"};
  return std::nullopt;
}

void name_runs(const RehearsalRuns& runs, Reporter& reporter) {
  for (const auto& run : runs.started()) reporter.note("kept: " + run.run_id + " in " + run.run_dir);
}

std::vector<std::string> ids_of(const RehearsalRuns& runs) {
  std::vector<std::string> ids;
  for (const auto& run : runs.started()) ids.push_back(run.run_id);
  return ids;
}

Outcome rehearse(const Arguments& arguments, Context& context) {
  const auto job = load_one_run(arguments, context);
  if (!job) return tl::unexpected(job.error());
  if (auto idle = find_idle_option(*job, arguments)) return refuse(std::move(*idle));
  auto terms = parse_terms(arguments);
  if (!terms) return tl::unexpected(terms.error());
  const auto asked_ranks = arguments.has(kRanks.name) ? std::optional(terms->ranks) : std::nullopt;
  if (auto reason = find_unrehearsable(*job, asked_ranks)) return refuse(std::move(*reason));
  terms->ranks = asked_ranks.value_or(default_ranks(*job));

  RehearsalRuns runs(context);
  const auto report = hold_rehearsal(*job, *terms, runs, context);
  const bool was_interrupted = !report && worst_code(report.error()) >= ExitCode::interrupted;
  const bool is_kept = !was_interrupted && (arguments.has(kKeep.name) || !report || !report->result.equal());
  is_kept ? name_runs(runs, context.reporter) : runs.remove_all();
  if (!report) return tl::unexpected(report.error());
  auto value = to_json(*report);
  value["kept_runs"] = ids_of(runs);
  context.reporter.answer(
      {.schema = "ddpsubmit.rehearse.v1", .value = std::move(value), .text = render_rehearsal(*report)});
  return report->result.equal() ? ExitCode::ok : ExitCode::run_failed;
}

}  // namespace

Command rehearse_command() {
  return {
      .name = "rehearse",
      .summary =
          "Run the job at small scale on this machine, stop it, kill a rank, and check that the result is "
          "unchanged",
      .operands = {kConfigOperand, kOverridesOperand},
      .options = {kRanks, kSteps, kSeed, kMtbf, kKeep},
      .description =
          "The job runs twice on this machine: once undisturbed, and once with a stop and a killed rank. The "
          "checkpoints or the output files of both runs are compared byte for byte. From their times follows "
          "the checkpoint interval that costs least when jobs fail as often as `--mtbf` says.",
      .examples = {{"rehearse train.yaml", "exit 1 if the result differs"},
                   {"rehearse train.yaml --mtbf 6h",
                    "recommend a checkpoint interval for a failure every 6 hours"},
                   {"rehearse train.yaml --steps 400 --seed 7",
                    "repeat a rehearsal with the seed that it printed"},
                   {"rehearse command.yaml environment.set.EPOCHS=1", "a program that calls ddpsubmit.step"}},
      .run = rehearse};
}

}  // namespace ddp::cli
