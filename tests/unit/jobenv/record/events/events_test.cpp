#include "jobenv/record/events/events.hpp"
#include "tests/support/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace ddp {
namespace {

using nlohmann::json;
using testing::ElementsAre;

/// The fields of an event, as docs/ledger.md has them.
class EventTable final : public EventFields {
 public:
  explicit EventTable(std::string event) : event_(std::move(event)) {}
  std::vector<std::string> rows;

 protected:
  void visit(Key key, Value value, Absence absence) override {
    static constexpr std::array kTypes = {"text",  "integer", "integer", "number", "true or false", "text",
                                          "texts", "integer", "integer", "number", "time",          "cause"};
    const std::string type = kTypes.at(value.index());
    rows.push_back("| `" + event_ + "` | `" + key.name + "` | " + type +
                   (absence == Absence::left_out ? ", if set" : "") + " | " + key.doc + " |");
  }

 private:
  std::string event_;
};

template <class Event>
std::vector<std::string> rows_of(Event event) {
  EventTable table(Event::kName);
  event.describe(table);
  table.rows.insert(table.rows.begin(), std::string("| `") + Event::kName + "` | " + Event::kWriter +
                                            " | | " + Event::kDoc + " |");
  return table.rows;
}

std::vector<std::string> rows_of_page() {
  std::vector<std::string> rows;
  std::ifstream page(source_path("docs/ledger.md"));
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) rows.push_back(line);
  }
  return rows;
}

/// What a row of the page would have to be, for those that differ.
std::string difference(const std::vector<std::string>& rows, const std::vector<std::string>& page) {
  std::string text;
  for (const auto& row : rows) {
    if (std::ranges::find(page, row) == page.end()) text += "missing: " + row + "\n";
  }
  for (const auto& row : page) {
    if (std::ranges::find(rows, row) == rows.end()) text += "unknown: " + row + "\n";
  }
  return text;
}

TEST(Events, TheDocumentationHasEachWithItsFields) {
  std::vector<std::string> rows;
  for_each_event([&rows](const auto& event) {
    const auto more = rows_of(event);
    rows.insert(rows.end(), more.begin(), more.end());
  });
  EXPECT_EQ(difference(rows, rows_of_page()), "") << "docs/ledger.md differs";
  EXPECT_EQ(rows, rows_of_page()) << "their order differs";
}

TEST(Events, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for_each_event([&names]<class Event>(const Event&) { EXPECT_TRUE(names.insert(Event::kName).second); });
  EXPECT_EQ(names.size(), 29u);
  const auto is_of_rank = [](const std::string& name) { return name.starts_with(event::kRankEvents); };
  EXPECT_EQ(std::ranges::count_if(names, is_of_rank), 3);
}

/// A field that is added to an event is one more row of the page, and nothing else.
struct WithAnotherField : event::KillOrdered {
  std::optional<double> moon = {};
  void describe(EventFields& fields) {
    KillOrdered::describe(fields);
    fields.if_set({"moon", "its phase"}, moon);
  }
};

TEST(Events, AnotherFieldIsWrittenReadAndMissedInTheDocumentation) {
  WithAnotherField full;
  full.attempt = 2;
  full.moon = 0.5;
  EXPECT_EQ(fields_of(full), (json{{"attempt", 2}, {"moon", 0.5}}));
  EXPECT_EQ(as<WithAnotherField>({{}, "kill_ordered", {{"moon", 1}}})->moon, 1.0);
  EXPECT_EQ(as<event::KillOrdered>(make_ledger_event({}, full))->attempt,
            2);  // an older program passes it over
  EXPECT_EQ(difference(rows_of(full), rows_of(event::KillOrdered{})),
            "missing: | `kill_ordered` | `moon` | number, if set | its phase |\n");
}

TEST(Events, WhatIsAbsentOrOfAnotherTypeHasNoValue) {
  const LedgerEvent odd{
      {}, "head_started", {{"pid", "x"}, {"host", 3}, {"attempt", 1.5}, {"resumes_from", nullptr}}};
  const auto head = as<event::HeadStarted>(odd);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->pid, 0);
  EXPECT_EQ(head->host, "");
  EXPECT_EQ(head->attempt, std::nullopt);
  EXPECT_EQ(head->resumes_from, std::nullopt);
  EXPECT_FALSE(as<event::RankStarted>(odd));
}

TEST(Events, AFieldWithoutAValueIsNullOrLeftOut) {
  EXPECT_EQ(
      fields_of(event::AttemptEnded{.attempt = 0, .outcome = "lost"}),
      (json{
          {"attempt", 0}, {"outcome", "lost"}, {"message", ""}, {"last_step", nullptr}, {"cause", nullptr}}));
}

/// Gives every field a value of its own.
class EventFiller final : public EventFields {
 protected:
  void visit(Key, Value value, Absence) override {
    ++next_;
    std::visit([this](auto* field) { fill(*field); }, value);
  }

 private:
  void fill(std::string& text) const { text = "text " + std::to_string(next_); }
  void fill(int& number) const { number = next_; }
  void fill(std::uint64_t& number) const { number = static_cast<std::uint64_t>(next_); }
  void fill(double& number) const { number = next_ + 0.5; }
  void fill(bool& flag) const { flag = true; }
  void fill(RunState& state) const { state = RunState::preempted; }
  void fill(std::vector<std::string>& texts) const { texts = {"a", std::to_string(next_)}; }
  void fill(std::optional<std::chrono::system_clock::time_point>& time) const {
    time = std::chrono::system_clock::time_point(std::chrono::seconds(next_));
  }
  void fill(std::optional<Cause>& cause) const { cause = Cause{.rank = next_, .what = "broke"}; }
  template <class T>
  void fill(std::optional<T>& number) const {
    fill(number.emplace());
  }

  int next_ = 0;
};

TEST(Events, EachIsReadAsItWasWritten) {
  for_each_event([]<class Event>(Event event) {
    EventFiller filler;
    event.describe(filler);
    const auto written = make_ledger_event({}, event);
    const auto read = as<Event>(written);
    ASSERT_TRUE(read) << written.event;
    EXPECT_EQ(fields_of(*read), written.fields);
    EXPECT_NE(written.fields, fields_of(Event{})) << written.event;
  });
}

TEST(Cause, IsReadAsItWasWritten) {
  const Cause cause{.rank = 3,
                    .host = "node1",
                    .code = std::nullopt,
                    .signal = 9,
                    .last_step = 7,
                    .phase = "step",
                    .stderr_tail = "killed",
                    .what = "was killed",
                    .since = std::chrono::system_clock::time_point(std::chrono::seconds(5))};
  const auto again = parse_cause(to_json(cause));
  EXPECT_EQ(to_json(again), to_json(cause));
  EXPECT_EQ(again.rank, 3);
  EXPECT_EQ(again.since, cause.since);
}

TEST(Cause, TellsWhatItMostLikelyComesFrom) {
  Cause cause{.rank = 3, .code = 1, .stderr_tail = "loading\nno such file: data.bin\n"};
  EXPECT_EQ(likely_cause_of(cause), "no such file: data.bin");
  cause.code.reset();
  cause.signal = 9;
  cause.what = "was killed by signal 9 (KILL)";
  EXPECT_EQ(likely_cause_of(cause), "the host or the job ran out of memory, or somebody killed the process");
  cause.what = "the guard of the ranks on node1 was killed by signal 9 (KILL)";
  EXPECT_EQ(likely_cause_of(cause), "no such file: data.bin") << "ddpsubmit has killed the rank";
  cause.signal.reset();
  EXPECT_EQ(likely_cause_of(cause), "") << "it hangs";
  cause.stderr_tail = "Traceback (most recent call last):\nValueError: 3\nwaiting for threads\n";
  EXPECT_EQ(likely_cause_of(cause), "ValueError: 3");
  EXPECT_EQ(likely_cause_of({}), "");
}

TEST(RunState, HasAWordOfItsOwn) {
  for (const auto& word : run_state_names()) EXPECT_EQ(name_of(parse_run_state(word)), word);
  EXPECT_EQ(parse_run_state("requeued"), RunState::unknown) << "of an attempt only";
}

}  // namespace
}  // namespace ddp
