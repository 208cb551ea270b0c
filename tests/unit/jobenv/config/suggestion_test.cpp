#include "jobenv/config/suggestion.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ddp {
namespace {

TEST(Suggestion, CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("nodess", "nodes"), 1U);
  EXPECT_EQ(edit_distance("ndoes", "nodes"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
}

TEST(Suggestion, NamesTheNearestOrNothing) {
  const std::vector<std::string> keys = {"nodes", "tasks_per_node", "time", "train"};
  EXPECT_EQ(suggest("nodess", keys), "did you mean 'nodes'?");
  EXPECT_EQ(suggest("task_per_nodes", keys), "did you mean 'tasks_per_node'?");
  EXPECT_EQ(suggest("tiem", keys), "did you mean 'time'?");
  EXPECT_EQ(suggest("TIME", keys), "did you mean 'time'?");
  EXPECT_EQ(suggest("AdamW", std::vector<std::string>{"adam", "adamw", "sgd"}), "did you mean 'adamw'?");
  EXPECT_EQ(suggest("partition", keys), "");
  EXPECT_EQ(suggest("x", keys), "");
  EXPECT_EQ(suggest(std::string(100'000, 'a'), keys), "");
}

TEST(Suggestion, NamesThoseThatGoOnAfterTheWord) {
  const std::vector<std::string> keys = {"keep", "every_epochs", "every_steps", "everything"};
  EXPECT_EQ(suggest("every", keys), "did you mean 'every_epochs' or 'every_steps'?");
  EXPECT_EQ(name_longer("every", keys), "'every_epochs' or 'every_steps'");
  EXPECT_EQ(name_longer("", keys), "");
}

TEST(Suggestion, KnowsWhatOthersCallAKey) {
  EXPECT_EQ(name_here("lr"), "learning_rate");
  EXPECT_EQ(name_here("nodes"), "nodes");
}

TEST(Suggestion, NamesThePathsThatEndInAKey) {
  const std::vector<std::string> paths = {"name",    "resources.nodes", "a.setup",
                                          "b.setup", "b.name",          "c.prenodes"};
  EXPECT_EQ(suggest_path("nodes", paths), "did you mean 'resources.nodes'?");
  EXPECT_EQ(suggest_path("setup", paths), "did you mean 'a.setup' or 'b.setup'?");
  EXPECT_EQ(suggest_path("name", paths), "did you mean 'name' at the top level or 'b.name'?");
  EXPECT_EQ(suggest_path("resources.nodes", paths), "in a file, write resources: {nodes: ...}");
  EXPECT_EQ(suggest_path("setup", paths, {{"b", "mode: new"}, {"c", "mode: old"}}),
            "did you mean 'a.setup' or 'b.setup' (with mode: new)?");
  EXPECT_EQ(suggest_path("odes", paths), "");
  EXPECT_EQ(suggest_path("", paths), "");
}

TEST(Suggestion, FindsWhatItNames) {
  const std::vector<std::string> paths = {"name", "resources.nodes", "b.name"};
  EXPECT_EQ(paths_that_end_in("name", paths), (std::vector<std::string>{"name", "b.name"}));
  EXPECT_TRUE(paths_that_end_in("odes", paths).empty());
  const std::vector<std::string> keys = {"nodes", "train"};
  EXPECT_EQ(find_nearest("trian", keys), &keys[1]);
  EXPECT_EQ(find_nearest("zzzzz", keys), nullptr);
}

TEST(Suggestion, JoinsWords) {
  EXPECT_EQ(join_words({}), "");
  EXPECT_EQ(join_words(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(join_words(std::vector<std::string>{"a", "b"}), "a or b");
  EXPECT_EQ(join_words(std::vector<std::string>{"a", "b", "c"}), "a, b or c");
}

}  // namespace
}  // namespace ddp
