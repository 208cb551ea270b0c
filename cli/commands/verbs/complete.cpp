#include "cli/commands/complete/complete_line.hpp"

#include <exception>

#include "cli/commands/registry.hpp"
#include "jobenv/config/utf8.hpp"

namespace ddp::cli {
namespace {

constexpr Operand kWords{"WORD", "the words behind `ddpsubmit`; the last one is completed", Arity::any};

/// Nothing, whatever goes wrong: a shell that completes has no place for errors.
Candidates find_candidates(const std::vector<std::string>& words, const Context& context) {
  try {
    return complete_line(all_commands(), words, context);
  } catch (const std::exception&) {
    return {};
  }
}

/// WORD, a tab, a description: one a line.
std::string render_candidates(const Candidates& candidates) {
  std::string text;
  for (const auto& [word, doc] : candidates) text += word + (doc.empty() ? "" : "\t" + doc) + "\n";
  return text;
}

nlohmann::json candidates_json(const Candidates& candidates) {
  nlohmann::json values = nlohmann::json::array();
  for (const auto& [word, doc] : candidates) values.push_back({{"word", word}, {"description", doc}});
  return {{"candidates", std::move(values)}};
}

Outcome print_candidates(const Arguments& arguments, Context& context) {
  auto candidates = find_candidates(arguments.all(kWords.name), context);
  std::erase_if(candidates, [](const Candidate& candidate) { return has_control_character(candidate.word); });
  const bool as_json = context.reporter.mode() == OutputMode::json;
  context.reporter.answer({.schema = "ddpsubmit.complete.v1",
                           .value = as_json ? candidates_json(candidates) : nlohmann::json(),
                           .text = as_json ? "" : render_candidates(candidates)});
  return ExitCode::ok;
}

}  // namespace

Command complete_command() {
  return {.name = "__complete",
          .summary = "Print what the last word can become, one a line: WORD, a tab, a description",
          .operands = {kWords},
          .options = {},
          .examples = {{"__complete -- run train.yaml train.opt", "what a shell asks behind TAB"}},
          .run = print_candidates,
          .caller = Caller::programs,
          .parsing = Parsing::verbatim};
}

}  // namespace ddp::cli
