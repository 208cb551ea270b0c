#include "jobenv/config/scalar.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace ddp {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Scalar, IntegersAreDecimal) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-17"), -17);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* text : {"", "-", "010", "-01", "0x10", "0o7", "0b1", "1_000", "+1", "1.0", "1e3", " 1",
                           "1 ", "1:30", "9223372036854775808", "one", "١"}) {
    EXPECT_FALSE(parse_integer(text)) << text;
  }
}

TEST(Scalar, ARefusedIntegerSaysWhy) {
  EXPECT_EQ(parse_integer("010").error(), "numbers are decimal, without leading zeros");
  EXPECT_EQ(parse_integer("0x10").error(), "numbers are decimal");
  EXPECT_EQ(parse_integer("1_000").error(), "write the digits without '_'");
  EXPECT_EQ(parse_integer("9223372036854775808").error(), "it does not fit into 64 bits");
}

TEST(Scalar, NumbersAreDecimalAndFinite) {
  EXPECT_EQ(parse_number("0.001"), 0.001);
  EXPECT_EQ(parse_number("3e-4"), 3e-4);
  EXPECT_EQ(parse_number("-2"), -2.0);
  EXPECT_EQ(parse_number(".5"), 0.5);
  for (const char* text :
       {"", "nan", "inf", "-inf", ".inf", "0x1p3", "1e999", "1,5", "1.5x", "00.5", "1_0.0", "+1"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(Scalar, FlagsAreTrueOrFalse) {
  EXPECT_EQ(parse_flag("true"), true);
  EXPECT_EQ(parse_flag("false"), false);
  for (const char* text : {"True", "yes", "no", "on", "1", ""}) EXPECT_FALSE(parse_flag(text)) << text;
}

TEST(Scalar, SizesHaveUnits) {
  EXPECT_EQ(parse_size("64GiB"), 64ULL << 30);
  EXPECT_EQ(parse_size("1B"), 1U);
  EXPECT_EQ(parse_size("2GB"), 2'000'000'000ULL);
  EXPECT_EQ(parse_size("0MiB"), 0U);
  for (const char* text : {"", "64", "64G", "64 GiB", "-1GiB", "1.5GiB", "GiB", "99999999TiB", "64gib"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
  EXPECT_EQ(parse_size("64").error(), "add the unit: 64GiB");
  EXPECT_EQ(parse_size("64G").error(), "Slurm's 64G is 64GiB: write 64GiB");
  EXPECT_EQ(parse_size("64000m").error(), "Slurm's 64000m is 64000MiB: write 64000MiB");
  EXPECT_EQ(parse_size("64Gb").error(), "units are B, KiB, MiB, GiB, TiB, KB, MB, GB, TB");
  const std::string whole = "sizes are whole numbers: write ";
  EXPECT_EQ(parse_size("1.5TiB").error(), whole + "1536GiB");
  EXPECT_EQ(parse_size("1,5T").error(), whole + "1536GiB");
  EXPECT_EQ(parse_size("1.5TB").error(), whole + "1500GB");
  EXPECT_EQ(parse_size("2.0GiB").error(), whole + "2GiB");
  for (const char* text : {"1.5", "0.3GiB", "1.GiB", "1.5xB", "1.99999999GiB"})
    EXPECT_EQ(parse_size(text).error(), whole + "1536MiB instead of 1.5GiB") << text;
}

TEST(Scalar, ADecimalCommaIsNamed) {
  EXPECT_EQ(parse_number("0,001").error(), "write a decimal point: 0.001");
  EXPECT_EQ(parse_number("-1,5").error(), "write a decimal point: -1.5");
  EXPECT_EQ(parse_number("1,2,3").error(), "");
}

TEST(Scalar, DurationsHaveUnits) {
  const auto form = DurationForm::units;
  EXPECT_EQ(parse_duration("30s", form), seconds(30));
  EXPECT_EQ(parse_duration("2m", form), minutes(2));
  EXPECT_EQ(parse_duration("1h30m", form), minutes(90));
  EXPECT_EQ(parse_duration("1d2h3m4s", form), hours(26) + minutes(3) + seconds(4));
  EXPECT_EQ(parse_duration("0s", form), seconds(0));
  for (const char* text : {"", "30", "m", "1m1h", "1h1h", "1.5h", "-1s", "1 h", "1h ", "02:00:00", "1w",
                           "99999999999999999999s"}) {
    EXPECT_FALSE(parse_duration(text, form)) << text;
  }
  EXPECT_EQ(parse_duration("30", form).error(), "add the unit: 30s or 30m");
}

TEST(Scalar, TimesMayBeSlurms) {
  const auto form = DurationForm::units_or_slurm;
  EXPECT_EQ(parse_duration("02:00:00", form), hours(2));
  EXPECT_EQ(parse_duration("90:30", form), minutes(90) + seconds(30));
  EXPECT_EQ(parse_duration("1-00", form), hours(24));
  EXPECT_EQ(parse_duration("1-02:03", form), hours(26) + minutes(3));
  EXPECT_EQ(parse_duration("2-12:30:15", form), hours(60) + minutes(30) + seconds(15));
  EXPECT_EQ(parse_duration("100:00:00", form), hours(100));
  EXPECT_EQ(parse_duration("1h30m", form), minutes(90));
  EXPECT_EQ(parse_duration("12", form).error(),
            "add the unit: for 12 minutes write 12m, as sbatch reads it; for 12 seconds write 12s");
  EXPECT_EQ(parse_duration("36000", form).error(),
            "add the unit: for 36000 minutes write 36000m (25d), as sbatch reads it; for 36000 seconds write "
            "36000s "
            "(10h)");
  EXPECT_EQ(
      parse_duration("0", form).error(),
      "sbatch reads 0 as no limit; set a limit, such as 24h, or remove it for the default of the partition");
  EXPECT_EQ(parse_duration("99999999999999999999", form).error(), "for example 2h, 1h30m or 02:00:00");
  for (const char* text :
       {"60", "1:2:3:4", "1-", "-1", "1-24", "00:60:00", "00:00:60", ":30", "30:", "1--2", "UNLIMITED"}) {
    EXPECT_FALSE(parse_duration(text, form)) << text;
  }
}

TEST(Scalar, DollarSignsInPathsAreDoubled) {
  EXPECT_EQ(parse_path("/a/$$x $$$$"), "/a/$x $$");
  EXPECT_EQ(parse_path("/a b"), "/a b");
  EXPECT_EQ(render_path("/a/$x$"), "/a/$$x$$");
  for (const char* text : {"$", "$HOME/x", "/a/$$$", "/a$"}) EXPECT_FALSE(parse_path(text)) << text;
}

TEST(Scalar, RenderingGivesTheSameValueBack) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2'000; ++i) {
    const seconds duration(random() % 100'000'000);
    EXPECT_EQ(parse_duration(render_duration(duration), DurationForm::units), duration);
    const std::uint64_t bytes = (random() % 1'000'000) << (random() % 30);
    EXPECT_EQ(parse_size(render_size(bytes)), bytes);
    const double number = std::bit_cast<double>(random());
    if (std::isfinite(number)) {
      EXPECT_EQ(parse_number(render_number(number)), number);
    }
  }
  EXPECT_EQ(render_duration(minutes(90)), "1h30m");
  EXPECT_EQ(render_size(64ULL << 30), "64GiB");
}

TEST(Scalar, ANumberIsRenderedAsPeopleWriteIt) {
  for (const char* text : {"0", "0.001", "0.0001", "0.00025", "-0.5", "100000", "1e-05", "2.5e-05", "1e+20"})
    EXPECT_EQ(render_number(*parse_number(text)), text);
}

}  // namespace
}  // namespace ddp
