#include "cli/output/last_line.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/output/reporter.hpp"

namespace ddp::cli {
namespace {

const ProgressLine kHalf{.step = 1, .total_steps = 2};
const ProgressLine kDone{.step = 2, .total_steps = 2};

/// Takes what has been written.
std::string taken(std::ostringstream& stream) {
  auto text = stream.str();
  stream.str({});
  return text;
}

class LastLineTest : public testing::Test {
 protected:
  std::ostringstream terminal;
  std::size_t columns = 16;  // of which the last three stay free
  LastLine line{terminal, [this] { return columns; }};
};

TEST_F(LastLineTest, IsDrawnWhereThePresentLineBegins) {
  line.draw();
  EXPECT_EQ(taken(terminal), "") << "there is none";
  line.set(kHalf);
  line.draw();
  EXPECT_EQ(taken(terminal), "\r\x1b[K50%  step 1/2");
}

TEST_F(LastLineTest, IsNotDrawnTwice) {
  line.set(kHalf);
  line.draw();
  taken(terminal);
  line.set(kHalf);
  line.draw();
  EXPECT_EQ(taken(terminal), "");
  line.set(kDone);
  line.draw();
  EXPECT_EQ(taken(terminal), "\r\x1b[K100%  step 2/");
}

TEST_F(LastLineTest, GivesWayAndComesBack) {
  line.set(kHalf);
  line.erase();
  EXPECT_EQ(taken(terminal), "") << "nothing stood there";
  line.draw();
  taken(terminal);
  line.erase();
  line.erase();
  EXPECT_EQ(taken(terminal), "\r\x1b[K");
  line.draw();
  EXPECT_EQ(taken(terminal), "\r\x1b[K50%  step 1/2");
}

TEST_F(LastLineTest, GoesForGood) {
  line.set(kHalf);
  line.draw();
  taken(terminal);
  line.set(std::nullopt);
  EXPECT_EQ(taken(terminal), "\r\x1b[K");
  line.draw();
  EXPECT_EQ(taken(terminal), "");
}

TEST_F(LastLineTest, FollowsTheWidthOfTheTerminal) {
  line.set(kHalf);
  line.draw();
  taken(terminal);
  columns = 7;
  line.set(kDone);
  line.draw();
  EXPECT_EQ(taken(terminal), "\r\x1b[K100%");
  columns = 2;
  line.set(kHalf);
  line.draw();
  EXPECT_EQ(taken(terminal), "\r\x1b[K");
}

TEST(LastLineOfARank, IsWhatTheRankRewrites) {
  std::ostringstream terminal;
  LastLine line(terminal, [] { return std::size_t{8}; });
  line.set(RewrittenLine{"\x1b[32m50%\x1b[0m of it"});
  line.draw();
  EXPECT_EQ(taken(terminal), "\r\x1b[K50% o");
  line.draw();
  EXPECT_EQ(taken(terminal), "");
  line.set(RewrittenLine{"60%"});
  line.draw();
  EXPECT_EQ(taken(terminal), "\r\x1b[K60%");
}

/// Both streams of a reporter are the terminal.
class ReporterWithLastLine : public testing::Test {
 protected:
  void SetUp() override {
    reporter->progress(kHalf);
    EXPECT_EQ(taken(terminal), "\r\x1b[K50%  step 1/2");
  }

  std::ostringstream terminal;
  std::unique_ptr<Reporter> reporter = make_text_reporter(terminal, terminal, Colour::never,
                                                          LastLine(terminal, [] { return std::size_t{20}; }));
};

TEST_F(ReporterWithLastLine, PrintsAboveIt) {
  reporter->relay(LogStream::out, "printed");
  reporter->relay(LogStream::err, "complained");
  EXPECT_EQ(taken(terminal), "\r\x1b[Kprinted\ncomplained\n");
  reporter->flush();
  EXPECT_EQ(taken(terminal), "\r\x1b[K50%  step 1/2");
}

TEST_F(ReporterWithLastLine, MakesRoomForAllThatItPrints) {
  const Report report{"s", nlohmann::json::object(), "text\n"};
  for (const auto& print :
       std::vector<std::function<void()>>{[&] { reporter->answer(report); }, [&] { reporter->item(report); },
                                          [&] { reporter->outcome(report); }, [&] { reporter->note("text"); },
                                          [&] { reporter->relay(LogStream::out, "text"); },
                                          [&] { reporter->relay(LogStream::err, "text"); }}) {
    print();
    EXPECT_EQ(taken(terminal), "\r\x1b[Ktext\n");
    reporter->flush();
    taken(terminal);
  }
  reporter->errors({{ExitCode::usage, "wrong", ""}});
  EXPECT_EQ(taken(terminal), "\r\x1b[Kerror: wrong\n");
}

TEST_F(ReporterWithLastLine, LeavesNothingBehind) {
  reporter->progress(std::nullopt);
  EXPECT_EQ(taken(terminal), "\r\x1b[K");
  reporter->note("over");
  reporter->flush();
  EXPECT_EQ(taken(terminal), "over\n");
}

TEST(Progress, IsNowhereButOnATerminal) {
  std::ostringstream out;
  std::ostringstream err;
  const auto text = make_text_reporter(out, err, Colour::never);
  const auto json = make_json_reporter(out, err);
  for (auto* reporter : {text.get(), json.get()}) {
    EXPECT_FALSE(reporter->shows_progress());
    reporter->progress(kHalf);
    reporter->flush();
  }
  EXPECT_EQ(out.str() + err.str(), "");
}

}  // namespace
}  // namespace ddp::cli
