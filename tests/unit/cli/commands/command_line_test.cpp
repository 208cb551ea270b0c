#include "cli/commands/command_line.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "cli/commands/registry.hpp"

namespace ddp::cli {
namespace {

using Words = std::vector<std::string>;

class CommandLineTest : public testing::Test {
 protected:
  Invocation parse(const Words& words) {
    auto line = parse_command_line(words, commands);
    if (!line) throw std::runtime_error(line.error().message);
    return std::get<Invocation>(std::move(*line));
  }
  Error error_of(const Words& words) {
    const auto line = parse_command_line(words, commands);
    return line ? Error{ExitCode::ok, "no error"} : line.error();
  }
  std::string shown(const Words& words) {
    return std::get<ShownText>(parse_command_line(words, commands).value()).text;
  }

  std::vector<Command> commands = all_commands();
};

TEST_F(CommandLineTest, AnOperandThatMayBeLeftOutTakesOneWord) {
  EXPECT_FALSE(parse({"doctor"}).arguments.has("CONFIG"));
  const auto line = parse({"doctor", "a.yaml", "x=1"});
  EXPECT_EQ(line.arguments.one("CONFIG"), "a.yaml");
  EXPECT_EQ(line.arguments.all("KEY=VALUE"), Words{"x=1"});
}

TEST_F(CommandLineTest, FindsVerbOperandsAndOptions) {
  const auto line = parse({"run", "a.yaml", "--detach", "x=1", "+include=b.yaml", "y=-2"});
  EXPECT_EQ(line.command->name, "run");
  EXPECT_EQ(line.arguments.one("CONFIG"), "a.yaml");
  EXPECT_EQ(line.arguments.all("KEY=VALUE"), (Words{"x=1", "+include=b.yaml", "y=-2"}));
  EXPECT_TRUE(line.arguments.has("--detach"));
  EXPECT_FALSE(line.arguments.has("--follow"));
}

TEST_F(CommandLineTest, TakesOptionsWithValuesBeforeAndAfterOperands) {
  for (const auto& words : {Words{"logs", "--rank", "0-3", "last"}, Words{"logs", "last", "--rank=0-3"}}) {
    const auto line = parse(words);
    EXPECT_EQ(line.arguments.one("RUN"), "last");
    EXPECT_EQ(line.arguments.one("--rank"), "0-3");
  }
}

TEST_F(CommandLineTest, WordsBehindTheEndOfOptionsAreOperands) {
  EXPECT_EQ(parse({"validate", "--json", "--", "--json"}).arguments.one("CONFIG"), "--json");
}

TEST_F(CommandLineTest, AnOperandMayHaveTheNameOfAVerb) {
  EXPECT_EQ(parse({"status", "list", "run"}).arguments.all("RUN"), (Words{"list", "run"}));
}

TEST_F(CommandLineTest, AnOptionLeavesWhatFollowsItsValueToTheOperands) {
  const auto line = parse({"rehearse", "a.yaml", "--mtbf", "6h", "x=1", "y=2"});
  EXPECT_EQ(line.arguments.all("--mtbf"), Words{"6h"});
  EXPECT_EQ(line.arguments.all("KEY=VALUE"), (Words{"x=1", "y=2"}));
}

TEST_F(CommandLineTest, AnOperandWithChoicesTakesNoOtherWord) {
  EXPECT_EQ(parse({"checkpoint", "verify", "a", "b"}).arguments.all("PATH"), (Words{"a", "b"}));
  const auto error = error_of({"checkpoint", "inf", "a"});
  EXPECT_EQ(error.code, ExitCode::usage);
  EXPECT_EQ(error.message, "'checkpoint' has no ACTION 'inf'");
  EXPECT_EQ(error.hint, "did you mean 'info'?");
  EXPECT_EQ(error_of({"checkpoint", "xyz", "a"}).hint, "ACTION is info, verify or merge");
}

TEST_F(CommandLineTest, TakesSeveralRunsWhereTheVerbDoes) {
  EXPECT_EQ(parse({"cancel", "a", "b"}).arguments.all("RUN"), (Words{"a", "b"}));
  EXPECT_TRUE(parse({"status"}).arguments.all("RUN").empty());
  EXPECT_EQ(error_of({"describe", "a", "b"}).code, ExitCode::usage);
  EXPECT_EQ(error_of({"cancel"}).code, ExitCode::usage);
}

TEST_F(CommandLineTest, MapsEveryMistakeToUsage) {
  for (const auto& words :
       {Words{"run"}, Words{"logs", "last", "--rank"}, Words{"status", "--frobnicate"}, Words{},
        Words{"--json"}, Words{"--frobnicate"}, Words{"run", "a.yaml", "--detach=5x"}}) {
    EXPECT_EQ(error_of(words).code, ExitCode::usage) << testing::PrintToString(words);
  }
}

TEST_F(CommandLineTest, AnEmptyWordIsAMistakeForEveryVerb) {
  for (const auto& command : commands) {
    if (command.parsing == Parsing::verbatim) continue;
    for (const auto& operand : command.operands) {
      const auto error = error_of({std::string(command.name), "", "", ""});
      EXPECT_EQ(error.code, ExitCode::usage) << command.name << ' ' << operand.name;
    }
    for (const auto& option : command.options) {
      if (option.value.empty() || option.takes == OptionTakes::rest) continue;
      const auto error = error_of({std::string(command.name), std::string(option.name) + "=", "a"});
      EXPECT_EQ(error.code, ExitCode::usage) << command.name << ' ' << option.name;
    }
  }
  EXPECT_EQ(error_of({"cancel", "a", ""}).message, "'cancel': RUN is an empty word");
  EXPECT_EQ(error_of({"prune", "--name", "", "--yes"}).message, "'prune': --name is an empty word");
  EXPECT_EQ(parse({"init", "--command", "a.sh", ""}).arguments.all("--command"), (Words{"a.sh", ""}));
}

TEST_F(CommandLineTest, SaysWhatAMissingWordIs) {
  EXPECT_EQ(error_of({"compare"}).message, "'compare' needs RUN");
  EXPECT_TRUE(error_of({"compare"}).hint.starts_with("RUN: run id or unique prefix of it"));
  EXPECT_TRUE(error_of({"compare"}).hint.ends_with("see: ddpsubmit compare --help"));
  EXPECT_EQ(error_of({"run", "--detach"}).message, "'run' needs CONFIG");
}

TEST_F(CommandLineTest, TheHelpOfAScreenHasNoJson) {
  EXPECT_EQ(shown({"top", "--help"}).find("--json"), std::string::npos);
  EXPECT_NE(shown({"list", "--help"}).find("--json"), std::string::npos);
  EXPECT_EQ(parse({"top", "--json"}).command->name, "top") << "the verb says what to use instead";
  EXPECT_EQ(output_mode_of({"top", "--json"}, commands), OutputMode::json);
}

TEST_F(CommandLineTest, SuggestsAVerb) {
  EXPECT_EQ(error_of({"statsu"}).message, "'statsu' is not a command of ddpsubmit");
  EXPECT_EQ(error_of({"statsu"}).hint, "did you mean 'status'?");
  EXPECT_EQ(error_of({"xyzzy"}).hint, "see: ddpsubmit --help");
}

TEST_F(CommandLineTest, AnOptionThatIsASettingIsSentToItsKey) {
  const std::string settings = "settings are written as KEY=VALUE: ";
  EXPECT_EQ(error_of({"run", "a.yaml", "--epochs", "10"}).message, "'run' has no option '--epochs'");
  EXPECT_EQ(error_of({"run", "a.yaml", "--epochs", "10"}).hint, settings + "train.epochs=10");
  EXPECT_EQ(error_of({"run", "a.yaml", "--epochs=10"}).hint, settings + "train.epochs=10");
  EXPECT_EQ(error_of({"run", "--epochs", "a.yaml", "x=1"}).hint, settings + "train.epochs=a.yaml");
  EXPECT_EQ(error_of({"run", "a.yaml", "--nodes"}).hint, settings + "resources.nodes=VALUE");
  EXPECT_EQ(error_of({"run", "a.yaml", "--ntasks-per-node=4"}).hint, settings + "resources.tasks_per_node=4");
  EXPECT_EQ(error_of({"run", "a.yaml", "--lr", "0.1"}).hint, settings + "train.optimizer.learning_rate=0.1");
  EXPECT_EQ(error_of({"run", "a.yaml", "--launcher", "slurm"}).hint, settings + "launcher=slurm");
  EXPECT_EQ(error_of({"run", "a.yaml", "--sweep", "lr=1,2"}).hint,
            "a sweep is written as KEY=VALUES: 'sweep.train.seed=[1, 2, 3]'");
  EXPECT_EQ(error_of({"run", "a.yaml", "--detahc"}).hint, "did you mean '--detach'?");
  EXPECT_EQ(error_of({"logs", "last", "--nodes"}).hint, "see: ddpsubmit logs --help");
}

TEST_F(CommandLineTest, VerbsOfProgramsAreInNoList) {
  const auto help = shown({"--help"});
  for (const std::string name : {"__complete", "manual"}) {
    EXPECT_EQ(help.find(name), std::string::npos) << name;
    EXPECT_EQ(parse({name}).command->name, name);
  }
  EXPECT_EQ(error_of({"manua"}).hint, "see: ddpsubmit --help");
}

TEST_F(CommandLineTest, TheWordsOfALineThatIsCompletedAreLeftAlone) {
  const Words words{"run", "", "--json", "--help", "--", "-x", "a=[1"};
  Words line{"__complete", "--"};
  line.insert(line.end(), words.begin(), words.end());
  EXPECT_EQ(parse(line).arguments.all("WORD"), words);
  EXPECT_EQ(output_mode_of(line, all_commands()), OutputMode::text);
}

TEST_F(CommandLineTest, OptionsBehindTheScriptOfTorchrunAreThoseOfTheScript) {
  const Words line{"torchrun", "--nproc_per_node", "2", "-m", "train", "--json", "--help", "--", "-x"};
  EXPECT_EQ(parse(line).arguments.all("SCRIPT"), Words(line.begin() + 1, line.end()));
  EXPECT_EQ(output_mode_of(line, all_commands()), OutputMode::text);
  EXPECT_EQ(output_mode_of({"torchrun", "--role", "a", "--json", "train.py"}, all_commands()),
            OutputMode::json);
  EXPECT_EQ(output_mode_of({"--json", "torchrun", "train.py"}, all_commands()), OutputMode::json);
  EXPECT_EQ(parse({"--json", "torchrun", "train.py"}).arguments.all("SCRIPT"), Words{"train.py"});
}

TEST_F(CommandLineTest, HelpOfTorchrunNamesItsOptions) {
  const auto help = shown({"torchrun", "--standalone", "--help"});
  for (const std::string name :
       {"--nproc-per-node", "--rdzv-endpoint", "--launcher", "--dry-run", "-m,--module"})
    EXPECT_NE(help.find(name), std::string::npos) << name;
}

TEST_F(CommandLineTest, HelpTellsTheExitCodes) {
  EXPECT_NE(shown({"--help"}).find("Exit codes: 0 ok, 1 the run failed,"), std::string::npos);
  EXPECT_NE(shown({"--help"}).find("130 interrupted"), std::string::npos);
}

TEST_F(CommandLineTest, HelpFitsInto80Columns) {
  for (const auto& command : commands) {
    if (command.parsing == Parsing::verbatim) continue;
    std::istringstream help(shown({std::string(command.name), "--help"}));
    for (std::string line; std::getline(help, line);)
      if (!line.starts_with("  ddpsubmit ")) {
        EXPECT_LE(line.size(), 79U) << command.name << ": " << line;
      }
  }
}

/// With one blank between two words.
std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string joined;
  for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

TEST_F(CommandLineTest, HelpNamesEveryVerbAndEveryOption) {
  const auto help = unwrapped(shown({"--help"}));
  std::set<std::string_view> names;
  for (const auto& command : commands) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_EQ(help.find(command.summary) != std::string::npos, is_listed(command)) << command.name;
    if (command.parsing == Parsing::verbatim) continue;
    const auto own = unwrapped(shown({std::string(command.name), "--help"}));
    EXPECT_NE(own.find("ddpsubmit " + std::string(command.name)), std::string::npos);
    for (const auto& option : command.options)
      EXPECT_NE(own.find(option.doc), std::string::npos) << option.name;
    for (const auto& example : command.examples) EXPECT_NE(own.find(example.line), std::string::npos);
    EXPECT_FALSE(command.examples.empty()) << command.name;
  }
}

TEST_F(CommandLineTest, EveryExampleParses) {
  for (const auto& command : commands) {
    for (const auto& example : command.examples) {
      Words words;
      std::istringstream line{std::string(example.line)};
      for (std::string word; line >> word && word != "|" && word != ">";) words.push_back(word);
      EXPECT_EQ(parse(words).command->name, command.name) << example.line;
    }
  }
}

TEST_F(CommandLineTest, TakesJsonAnywhere) {
  EXPECT_EQ(parse({"--json", "status", "last"}).command->name, "status");
  EXPECT_EQ(shown({"--help", "--json"}), shown({"--help"}));
}

TEST_F(CommandLineTest, ShowsTheVersionAlsoAsJson) {
  EXPECT_EQ(shown({"--version"}).substr(0, 10), "ddpsubmit ");
  EXPECT_EQ(shown({"--version", "--json"}), shown({"--version"}));
}

TEST_F(CommandLineTest, TheOutputModeIsKnownEvenIfTheRestIsWrong) {
  EXPECT_EQ(output_mode_of({"statsu", "--json", "--x"}, commands), OutputMode::json);
  EXPECT_EQ(output_mode_of({"status"}, commands), OutputMode::text);
}

TEST_F(CommandLineTest, AnOptionThatTakesTheRestTakesWordsOfAnyForm) {
  const Words command{"python", "train.py", "--json", "-o", "x", "--help"};
  Words words{"init", "-o", "a.yaml", "--command"};
  words.insert(words.end(), command.begin(), command.end());
  const auto line = parse(words);
  EXPECT_EQ(line.arguments.all("--command"), command);
  EXPECT_EQ(line.arguments.one("--output"), "a.yaml");
  EXPECT_EQ(output_mode_of(words, commands), OutputMode::text);
  EXPECT_EQ(error_of({"init", "--command"}).message, "--command needs a value: PROGRAM");
}

}  // namespace
}  // namespace ddp::cli
