#include "ddp/trainer/component.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

using testing::ThrowsMessage;

const Component kTides{"tides", {{"frequency", std::int64_t{10}}, {"place", std::string("Hull")}}};

TEST(Component, GivesWhatItHolds) {
  EXPECT_EQ(kTides.get<std::int64_t>("frequency"), 10);
  EXPECT_EQ(kTides.get<std::string>("place"), "Hull");
}

TEST(Component, NamesTheOptionThatIsReadAsSomethingElse) {
  EXPECT_THAT(
      [] { (void)kTides.get<double>("frequency"); },
      ThrowsMessage<std::logic_error>("the option 'frequency' of 'tides' is read with get<std::int64_t>"));
  EXPECT_THAT([] { (void)kTides.get<double>("place"); },
              ThrowsMessage<std::logic_error>("the option 'place' of 'tides' is read with get<std::string>"));
}

TEST(Component, NamesTheOptionThatIsNotThere) {
  EXPECT_THAT([] { (void)kTides.get<double>("frequenzy"); },
              ThrowsMessage<std::out_of_range>("'tides' has no option 'frequenzy'"));
}

}  // namespace
}  // namespace ddp::trainer
