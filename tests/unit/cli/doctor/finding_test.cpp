#include "cli/doctor/finding.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(Findings, TheWorstCounts) {
  EXPECT_EQ(worst_verdict({}), Verdict::ok);
  EXPECT_EQ(worst_verdict({{.verdict = Verdict::ok}, {.verdict = Verdict::skipped}}), Verdict::ok);
  EXPECT_EQ(worst_verdict({{.verdict = Verdict::warning}, {.verdict = Verdict::ok}}), Verdict::warning);
  EXPECT_EQ(worst_verdict({{.verdict = Verdict::error}, {.verdict = Verdict::warning}}), Verdict::error);
}

TEST(Findings, AsText) {
  EXPECT_EQ(render_findings({{.found = "fine", .check = "clock"},
                             {.verdict = Verdict::error,
                              .found = "full",
                              .advice = "make room",
                              .details = {"0 MiB"},
                              .check = "/tmp",
                              .host = "node7"}}),
            "ok     clock       fine\n"
            "error  node7 /tmp  full\n"
            "                     0 MiB\n"
            "                   help: make room\n");
}

TEST(Findings, AsJson) {
  const auto value = to_json(Findings{{.verdict = Verdict::warning, .found = "low", .check = "memory"}});
  EXPECT_EQ(value, (nlohmann::json::array({{{"check", "memory"},
                                            {"host", nullptr},
                                            {"verdict", "warning"},
                                            {"found", "low"},
                                            {"advice", nullptr},
                                            {"details", nlohmann::json::array()}}})));
}

}  // namespace
}  // namespace ddp::cli
