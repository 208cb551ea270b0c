#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands/watch/find_run.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/stack_text.hpp"
#include "cli/store/state/run_records.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStackPause{100};
/// A shared folder may show a new file as late as this.
constexpr milliseconds kStackPatience{90'000};
constexpr milliseconds kNoteAfter{10'000};
constexpr int kHighestRank = 1 << 20;

constexpr Option kRank{"--rank", "N", "only this rank", WordKind::ranks};

Expected<StackRequest> request_of(const Arguments& arguments) {
  const auto text = arguments.one(kRank.name);
  if (!text) return StackRequest{};
  const auto rank = parse_whole_number(*text);
  if (!rank || *rank > kHighestRank)
    return fail(ExitCode::usage, "--rank: '" + *text + "' is not a valid rank");
  return StackRequest{{static_cast<int>(*rank)}};
}

void keep_only(int rank, StackRecord& record) {
  std::erase_if(record.ranks, [&](const RankStack& each) { return each.rank != rank; });
  record.world_size = 1;
}

/// One request, and the wait for its answer.
class StackQuestion {
 public:
  StackQuestion(const RunPointer& pointer, Context& context)
      : pointer_(pointer),
        context_(context),
        resolver_(context.seams()),
        folder_(pointer.run_dir),
        id_(fmt::format("{}-{}", getpid(), context.system.clock.now().time_since_epoch().count())) {}

  Expected<StackRecord> ask(const StackRequest& request) {
    const auto status = resolver_.resolve(pointer_);
    if (!status.points.empty())
      return fail(ExitCode::usage, "run " + pointer_.run_id + " is a sweep",
                  fmt::format("name one of its points: ddpsubmit stack {}/0", pointer_.run_id));
    if (const auto plan = load_run_plan(folder_); plan && !request.ranks.empty()) {
      const int ranks = layout_of(*plan).world_size();
      if (request.ranks.front() >= ranks)
        return fail(ExitCode::usage,
                    fmt::format("run {} has no rank {}", pointer_.run_id, request.ranks.front()),
                    fmt::format("its ranks are 0 to {}", ranks - 1));
    }
    if (is_final(status.state) || !status.head) return load_last(status);
    auto* launcher = resolver_.launcher(pointer_.launcher);
    if (launcher == nullptr)
      return fail(ExitCode::run_failed, "launcher '" + pointer_.launcher + "' is unknown to this version");
    const auto path = folder_.stack_request(id_).lexically_relative(folder_.root());
    const auto told = launcher->tell_head(status, path, to_json(request).dump() + "\n");
    if (!told) return tl::unexpected(told.error());
    return await();
  }

 private:
  /// What head has taken when it named a hang.
  Expected<StackRecord> load_last(const RunStatus& status) const {
    for (int attempt = status.newest_attempt(); attempt >= 0; --attempt) {
      if (auto record = load_stack_record(folder_.hang_stacks(attempt))) return record;
    }
    return fail(ExitCode::not_found,
                fmt::format("run {} has no running ranks, and no hang was detected in its attempts",
                            pointer_.run_id));
  }

  Expected<StackRecord> await() {
    const auto began = context_.system.clock.steady();
    bool noted = false;
    while (context_.system.clock.steady() - began < kStackPatience) {
      (void)resolver_.refresh(std::vector{pointer_});
      if (auto record = take_answer()) return std::move(*record);
      if (!noted && context_.system.clock.steady() - began > kNoteAfter) {
        context_.reporter.note("waiting for the head of the run to see the request in the run folder");
        noted = true;
      }
      context_.system.clock.sleep(kStackPause);
    }
    withdraw();
    return fail(ExitCode::outcome_unknown,
                fmt::format("the head of run {} gave no answer within {} s", pointer_.run_id,
                            kStackPatience.count() / 1000),
                "check whether it is alive: ddpsubmit status " + pointer_.run_id);
  }

  std::optional<StackRecord> take_answer() const {
    auto record = load_stack_record(folder_.stack_answer(id_));
    if (!record) return std::nullopt;
    std::error_code ignored;
    std::filesystem::remove(folder_.stack_answer(id_), ignored);
    return std::move(*record);
  }

  void withdraw() const {
    std::error_code ignored;
    std::filesystem::remove(folder_.stack_request(id_), ignored);
  }

  RunPointer pointer_;
  Context& context_;
  StatusResolver resolver_;
  RunFolder folder_;
  std::string id_;
};

Outcome stack(const Arguments& arguments, Context& context) {
  const auto request = request_of(arguments);
  if (!request) return refuse(request.error());
  const auto pointer = find_run(*arguments.one("RUN"), context);
  if (!pointer) return refuse(pointer.error());
  auto record = StackQuestion(*pointer, context).ask(*request);
  if (!record) return refuse(record.error());
  if (!request->ranks.empty()) keep_only(request->ranks.front(), *record);
  auto value = to_json(*record);
  value.erase("schema");
  value["run_id"] = pointer->run_id;
  context.reporter.answer(
      {.schema = "ddpsubmit.stack.v1", .value = std::move(value), .text = render_stacks(*record)});
  return ExitCode::ok;
}

}  // namespace

Command stack_command() {
  return {.name = "stack",
          .summary = "Print the stacks of the ranks of a run, now or at the last detected hang",
          .operands = {{"RUN", kRunDoc, Arity::one, WordKind::run}},
          .options = {kRank},
          .description =
              "The request goes to the agents through the run folder. If the run has no ranks now, the "
              "stacks of the last detected hang are printed.",
          .examples = {{"stack last", "ranks with the same stack are grouped, the smallest group first"},
                       {"stack last --rank 3", "only rank 3"}},
          .run = stack};
}

}  // namespace ddp::cli
