#include "cli/import/shell_scope.hpp"

#include <gmock/gmock.h>

#include "cli/import/arithmetic.hpp"

namespace ddp::cli {
namespace {

using ::testing::ElementsAre;

ShellWord word_of(const std::string& text) {
  const auto script = parse_shell(make_source_text("job.sbatch", "/work", text + "\n", Origin::config_file));
  return script.lines.at(0).commands.at(0).words.at(0);
}

TEST(ShellScope, SplitsOnlyWhatIsNotQuoted) {
  ShellScope scope({});
  scope.set("FLAGS", " --fast  --level 3 ");
  EXPECT_THAT(scope.fields_of(word_of("a$FLAGS")), ElementsAre("a", "--fast", "--level", "3"));
  EXPECT_THAT(scope.fields_of(word_of("\"a$FLAGS\"")), ElementsAre("a --fast  --level 3 "));
  EXPECT_THAT(scope.fields_of(word_of("''")), ElementsAre(""));
  scope.set("EMPTY", "");
  EXPECT_THAT(scope.fields_of(word_of("$EMPTY")), ElementsAre());
}

TEST(ShellScope, TakesElementsOfArrays) {
  ShellScope scope({});
  scope.set_array("A", {"one", "two words"});
  EXPECT_THAT(scope.fields_of(word_of("\"${A[@]}\"")), ElementsAre("one", "two words"));
  EXPECT_EQ(scope.value_of(word_of("${A[1]}")), "two words");
  EXPECT_EQ(scope.value_of(word_of("${#A[@]}")), "2");
  EXPECT_EQ(scope.value_of(word_of("$A")), "one");
}

TEST(ShellScope, CalculatesWithNumbersOfTheScript) {
  ShellScope scope({});
  scope.set("SLURM_NNODES", "4");
  EXPECT_EQ(scope.value_of(word_of("$((SLURM_NNODES * 2 + 1))")), "9");
  EXPECT_EQ(scope.value_of(word_of("$(($SLURM_NNODES * ${SLURM_NNODES}))")), "16");
  EXPECT_FALSE(is_known(scope.value_of(word_of("$((RANDOM % 10))"))));
}

TEST(ShellScope, UsesADefaultForWhatIsEmpty) {
  ShellScope scope({});
  scope.set("SLURM_CPUS_PER_TASK", "");
  EXPECT_EQ(scope.value_of(word_of("${SLURM_CPUS_PER_TASK:-8}")), "8");
  EXPECT_FALSE(is_known(scope.value_of(word_of("${BATCH:-8}"))));
}

TEST(ShellScope, KnowsWhatFindsTheFirstNode) {
  ShellScope scope({});
  for (const auto* text : {"$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)", "$(hostname -i)",
                           "$HOSTNAME", "$(srun -w \"$x\" hostname --ip-address)"})
    EXPECT_TRUE(has_symbol(scope.value_of(word_of(text)), SymbolKind::address)) << text;
  scope.set("head", scope.value_of(word_of("$(hostname)")));
  EXPECT_TRUE(has_symbol(scope.value_of(word_of("$(getent hosts $head)")), SymbolKind::address));
  EXPECT_FALSE(has_symbol(scope.value_of(word_of("$(date)")), SymbolKind::address));
}

TEST(ShellScope, KeepsAValueForEachTaskOfAnArray) {
  ShellScope scope({"0", "1", "2"});
  scope.set_array("RATES", {"0.1", "0.01", "0.001"});
  scope.set("RATE", scope.value_of(word_of("${RATES[$SLURM_ARRAY_TASK_ID]}"), "RATE"));
  EXPECT_TRUE(has_symbol(scope.value_of(word_of("lr_$RATE")), SymbolKind::swept));
  EXPECT_THAT(scope.swept().at("rate"), ElementsAre("0.1", "0.01", "0.001"));
  (void)scope.value_of(word_of("$((SLURM_ARRAY_TASK_ID + 7))"));
  EXPECT_THAT(scope.swept().at("value"), ElementsAre("7", "8", "9"));
}

TEST(ShellScope, FindsTheVariablesOfAText) {
  EXPECT_THAT(variables_in("echo $A ${B:-x} \"${#C[@]}\" $((D + E)) \\$ F"),
              ElementsAre("A", "B", "C", "D", "E"));
}

TEST(Arithmetic, FollowsTheOrderOfOperators) {
  const auto none = [](const std::string&) { return std::optional<std::int64_t>(); };
  EXPECT_EQ(evaluate_arithmetic("2 + 3 * 4", none), 14);
  EXPECT_EQ(evaluate_arithmetic("(2 + 3) * -4 % 7", none), -6);
  EXPECT_EQ(evaluate_arithmetic("10 / 4", none), 2);
  EXPECT_FALSE(evaluate_arithmetic("1 / 0", none));
  EXPECT_FALSE(evaluate_arithmetic("1 << 2", none));
  EXPECT_FALSE(evaluate_arithmetic("x", none));
}

TEST(ShellScope, JoinsAnArrayInQuotes) {
  ShellScope scope({});
  scope.set_array("A", {"one", "two words"});
  EXPECT_THAT(scope.fields_of(word_of("\"${A[*]}\"")), ElementsAre("one two words"));
  EXPECT_THAT(scope.fields_of(word_of("${A[@]}")), ElementsAre("one", "two", "words"));
  EXPECT_EQ(scope.value_of(word_of("${A[*]}")), "one two words");
}

TEST(ShellScope, LeavesValuesThatMayHaveChangedToTheJob) {
  ShellScope scope({});
  scope.set("N", "1");
  scope.set_array("A", {"1", "2"});
  scope.set("SLURM_NNODES", "2");
  scope.forget_all();
  EXPECT_TRUE(has_symbol(scope.value_of(word_of("$N")), SymbolKind::variable));
  EXPECT_TRUE(has_symbol(scope.value_of(word_of("${N:-5}")), SymbolKind::variable));
  EXPECT_TRUE(has_symbol(scope.value_of(word_of("${A[1]}")), SymbolKind::unknown));
  EXPECT_EQ(scope.value_of(word_of("$SLURM_NNODES")), "2");
}

TEST(ShellScope, DoesNotKnowWhatSlurmSetsForOtherOptions) {
  ShellScope scope({"1", "2"});
  EXPECT_TRUE(has_symbol(scope.value_of(word_of("$SLURM_MEM_PER_NODE")), SymbolKind::unknown));
  EXPECT_TRUE(has_symbol(scope.value_of(word_of("$SLURM_JOB_ID")), SymbolKind::variable));
  EXPECT_TRUE(has_symbol(scope.value_of(word_of("${SEED:-$SLURM_ARRAY_TASK_ID}")), SymbolKind::unknown));
}

}  // namespace
}  // namespace ddp::cli
