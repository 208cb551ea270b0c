#include "jobenv/config/config_node.hpp"

#include <gtest/gtest.h>

#include "parse_text.hpp"

namespace ddp {
namespace {

ConfigNode merged(const std::string& base, const std::string& over) {
  ConfigNode root = parse_text(base).value();
  merge_into(root, parse_text(over).value());
  return root;
}

TEST(ConfigNode, MapsAreMergedAndTheRestReplaced) {
  const ConfigNode root =
      merged("a: {x: 1, y: 2}\nlist: [1, 2, 3]\nb: 1\n", "a: {y: 3, z: 4}\nlist: [9]\nc: 5\n");
  EXPECT_EQ(root.find_path("a.x")->value.scalar, "1");
  EXPECT_EQ(root.find_path("a.y")->value.scalar, "3");
  EXPECT_EQ(root.find_path("a.z")->value.scalar, "4");
  EXPECT_EQ(root.find("list")->value.items.size(), 1U);
  EXPECT_EQ(root.find("b")->value.scalar, "1");
  EXPECT_EQ(root.find("c")->value.scalar, "5");
}

TEST(ConfigNode, AMapIsReplacedByWhatIsNone) {
  EXPECT_EQ(merged("a: {x: 1}\n", "a: null\n").find("a")->value.kind, ConfigNode::Kind::null);
  EXPECT_EQ(merged("a: 1\n", "a: {x: 1}\n").find_path("a.x")->value.scalar, "1");
}

TEST(ConfigNode, AMergedValueKnowsItsOwnPlace) {
  const ConfigNode root = merged("a: 1\nb: 2\n", "\n\nb: 3\n");
  EXPECT_EQ(root.find("a")->value.place.describe(), "run.yaml:1");
  EXPECT_EQ(root.find("b")->value.place.describe(), "run.yaml:3");
  EXPECT_EQ(root.find("b")->key_place.mark().line, 3);
  EXPECT_EQ(Place{}.describe(), "default");
}

TEST(ConfigNode, TheNearestPlaceIsTheSectionThatIsThere) {
  const ConfigNode root = parse_text("a:\n  b: {c: 1}\n").value();
  EXPECT_EQ(nearest_place(root, "a.b.c").mark().column, 7);
  EXPECT_EQ(nearest_place(root, "a.b.missing.deeper").mark().column, 3);
  EXPECT_EQ(nearest_place(root, "other.b").source, nullptr);
}

TEST(ConfigNode, ErrorsAreSortedByPlace) {
  const auto at = [](std::string file, int line, int column) {
    return Error{ExitCode::config_invalid, "e", "", SourceMark{std::move(file), line, column, 1, ""}};
  };
  Errors errors = {
      at("command line", 0, 3), at("b", 1, 1), at("a", 9, 2), at("a", 9, 1), at("a", 2, 5), Error{}};
  sort_errors(errors);
  EXPECT_FALSE(errors[0].where);
  EXPECT_EQ(errors[1].where->line, 2);
  EXPECT_EQ(errors[2].where->column, 1);
  EXPECT_EQ(errors[3].where->column, 2);
  EXPECT_EQ(errors[4].where->file, "b");
  EXPECT_EQ(errors[5].where->file, "command line");
}

}  // namespace
}  // namespace ddp
