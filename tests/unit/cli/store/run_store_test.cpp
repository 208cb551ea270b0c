#include "cli/store/run_store.hpp"

#include <gtest/gtest.h>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

RunPointer make_pointer(const std::string& id, const std::string& name, int second,
                        const std::string& job = "") {
  return {.run_id = id,
          .name = name,
          .run_dir = "/runs/" + id,
          .launcher = "local",
          .job_id = job,
          .created = system_clock::time_point{seconds(second)}};
}

std::string selected(const std::vector<RunPointer>& runs, const std::string& selector) {
  const auto run = select_run(runs, selector);
  return run ? run->run_id : "error: " + run.error().message;
}

TEST(RunStore, GivesBackWhatIsSavedNewestFirst) {
  TemporaryFolder folder;
  const RunStore store(folder / "runs");
  const auto older = make_pointer("a-1", "a", 10);
  const auto newer = make_pointer("b-1", "b", 20, "77");
  ASSERT_TRUE(store.save(older));
  ASSERT_TRUE(store.save(newer));
  EXPECT_EQ(store.load_all().value(), (std::vector{newer, older}));
}

TEST(RunStore, ReplacesAPointer) {
  TemporaryFolder folder;
  const RunStore store(folder / "runs");
  ASSERT_TRUE(store.save(make_pointer("a-1", "a", 10)));
  ASSERT_TRUE(store.save(make_pointer("a-1", "a", 10, "5")));
  EXPECT_EQ(store.load_all()->size(), 1u);
  EXPECT_EQ(store.find("5")->run_id, "a-1");
}

TEST(RunStore, ListsIdsWithoutReadingTheirFiles) {
  TemporaryFolder folder;
  const RunStore store(folder.path());
  EXPECT_TRUE(store.list_ids().empty());
  ASSERT_TRUE(save_file(folder / "a-1.json", "no pointer", Durability::visible));
  ASSERT_TRUE(save_file(folder / "a-1.json.new", "", Durability::visible));
  EXPECT_EQ(store.list_ids(), std::vector<std::string>{"a-1"});
  EXPECT_TRUE(RunStore("/nonexistent/runs").list_ids().empty());
}

TEST(RunStore, PassesOverWhatIsNoPointer) {
  TemporaryFolder folder;
  const RunStore store(folder.path());
  for (const char* text : {"", "{", "[]", "{}", R"({"schema": "other"})", R"({"schema": 5, "run_id": []})"}) {
    ASSERT_TRUE(save_file(folder / "x.json", text, Durability::visible));
    EXPECT_TRUE(store.load_all()->empty()) << text;
  }
}

TEST(RunStore, IsEmptyBeforeTheFirstRun) {
  const RunStore store("/nonexistent/runs");
  EXPECT_TRUE(store.load_all()->empty());
  EXPECT_EQ(store.find("last").error().code, ExitCode::not_found);
}

TEST(RunStore, LiesInTheStateFolder) {
  TemporaryFolder folder;
  const auto pointer = make_pointer("a-1", "a", 10);
  ASSERT_TRUE(RunStore::open(EnvMap({{"XDG_STATE_HOME", folder.path()}, {"HOME", "/x"}}))->save(pointer));
  EXPECT_TRUE(std::filesystem::exists(folder / "ddpsubmit/runs/a-1.json"));
  ASSERT_TRUE(RunStore::open(EnvMap({{"HOME", folder.path()}}))->save(pointer));
  EXPECT_TRUE(std::filesystem::exists(folder / ".local/state/ddpsubmit/runs/a-1.json"));
  EXPECT_FALSE(RunStore::open(EnvMap()));
}

class SelectRun : public testing::Test {
 protected:
  std::vector<RunPointer> runs{make_pointer("net-bb", "net", 40, "12"),
                               make_pointer("net-ab", "net", 30, "11"),
                               make_pointer("mlp-xy", "mlp", 20, "9"), make_pointer("local-1", "local", 10)};
};

TEST_F(SelectRun, KnowsLastIdNameJobAndPrefix) {
  EXPECT_EQ(selected(runs, "last"), "net-bb");
  EXPECT_EQ(selected(runs, "net-ab"), "net-ab");
  EXPECT_EQ(selected(runs, "net"), "net-bb") << "the newest of that name";
  EXPECT_EQ(selected(runs, "9"), "mlp-xy");
  EXPECT_EQ(selected(runs, "ml"), "mlp-xy");
}

TEST_F(SelectRun, FindsNamesakesOfANameAlone) {
  EXPECT_EQ(select_namesakes(runs, "net").size(), 2u);
  EXPECT_EQ(select_namesakes(runs, "mlp").size(), 1u);
  for (const auto* word : {"last", "ne", "net-bb", "12"})
    EXPECT_TRUE(select_namesakes(runs, word).empty()) << word;
  runs.push_back(make_pointer("net", "other", 5));
  EXPECT_TRUE(select_namesakes(runs, "net").empty()) << "an id goes before a name";
}

TEST_F(SelectRun, RefusesAPrefixOfSeveral) {
  EXPECT_EQ(selected(runs, "ne"), "error: 'ne' matches several runs");
}

TEST_F(SelectRun, AnEmptyWordNamesNoRunNotEvenTheOnlyOne) {
  EXPECT_EQ(select_run({runs[0]}, "").error().code, ExitCode::usage);
  EXPECT_EQ(select_run({runs[0]}, "", Prefixes::beyond_name).error().code, ExitCode::usage);
}

TEST_F(SelectRun, TheBeginningOfANameIsNoPrefixThatReachesBeyondIt) {
  for (const std::string word : {"m", "ml", "mlp-", "loc"}) {
    const auto run = select_run(runs, word, Prefixes::beyond_name);
    ASSERT_FALSE(run) << word;
    EXPECT_EQ(run.error().code, ExitCode::usage);
    EXPECT_EQ(run.error().message, "'" + word + "' is only the beginning of a name");
  }
  for (const auto* word : {"mlp", "mlp-x", "mlp-xy", "9"})
    EXPECT_EQ(select_run(runs, word, Prefixes::beyond_name)->run_id, "mlp-xy") << word;
}

TEST_F(SelectRun, SuggestsANearIdOrName) {
  const auto run = select_run(runs, "mlp-xz");
  EXPECT_EQ(run.error().hint, "did you mean 'mlp-xy'? 'ddpsubmit list' shows all runs");
  EXPECT_EQ(run.error().code, ExitCode::not_found);
  EXPECT_EQ(select_run(runs, "mpl").error().hint, "did you mean 'mlp'? 'ddpsubmit list' shows all runs");
  EXPECT_EQ(select_run(runs, "something").error().hint, "'ddpsubmit list' shows all runs");
  EXPECT_EQ(select_run({}, "mlp").error().hint, "there are no runs yet; start one: ddpsubmit run CONFIG");
}

}  // namespace
}  // namespace ddp::cli
