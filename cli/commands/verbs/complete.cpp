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

Outcome print_candidates(const Arguments& arguments, Context& context) {
  auto candidates = find_candidates(arguments.all(kWords.name), context);
  std::erase_if(candidates, [](const Candidate& candidate) { return has_control_character(candidate.word); });
  std::string text;
  nlohmann::json values = nlohmann::json::array();
  for (const auto& [word, doc] : candidates) {
    text += word + (doc.empty() ? "" : "\t" + doc) + "\n";
    values.push_back({{"word", word}, {"description", doc}});
  }
  context.reporter.answer({.schema = "ddpsubmit.complete.v1",
                           .value = {{"candidates", std::move(values)}},
                           .text = std::move(text)});
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
