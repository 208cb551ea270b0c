#include "jobenv/config/yaml_text.hpp"

#include <gtest/gtest.h>

#include "parse_text.hpp"

namespace ddp {
namespace {

TEST(YamlText, KeepsTypesOrderAndPlaces) {
  const auto root = parse_text("name: a\nlist: [1, 'two']\nmap:\n  key: value\nnothing: ~\n");
  ASSERT_TRUE(root);
  ASSERT_EQ(root->entries.size(), 4U);
  EXPECT_EQ(root->entries[0].key, "name");
  EXPECT_EQ(root->entries[0].value.scalar, "a");
  const ConfigNode& list = root->entries[1].value;
  ASSERT_EQ(list.kind, ConfigNode::Kind::sequence);
  EXPECT_EQ(list.items[0].quoting, ConfigNode::Quoting::plain);
  EXPECT_EQ(list.items[1].quoting, ConfigNode::Quoting::quoted);
  const auto* key = root->find_path("map.key");
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->key_place.mark().line, 4);
  EXPECT_EQ(key->key_place.mark().column, 3);
  EXPECT_EQ(key->value.place.mark().column, 8);
  EXPECT_EQ(key->value.place.mark().length, 5);
  EXPECT_EQ(key->value.place.mark().text, "  key: value");
  EXPECT_EQ(key->value.place.mark().file, "run.yaml");
  EXPECT_EQ(root->entries[3].value.kind, ConfigNode::Kind::null);
}

TEST(YamlText, AnEmptyDocumentIsAnEmptyMap) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n"}) {
    const auto root = parse_text(text);
    ASSERT_TRUE(root) << text;
    EXPECT_EQ(root->kind, ConfigNode::Kind::map);
    EXPECT_TRUE(root->entries.empty());
  }
}

TEST(YamlText, AliasesAreWrittenOut) {
  const auto root = parse_text("a: &x {k: [1, 2]}\nb: *x\nc: [*x, *x]\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->find_path("b.k")->value.items.size(), 2U);
  EXPECT_EQ(root->find("c")->value.items[1].find("k")->value.items[1].scalar, "2");
}

TEST(YamlText, ByteOrderMarkAndCrlfChangeNothing) {
  const auto root = parse_text(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: x\r\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->find("a")->key_place.mark().column, 1);
  EXPECT_EQ(root->find("b")->value.scalar, "x");
  EXPECT_EQ(root->find("b")->key_place.mark().line, 2);
  EXPECT_EQ(root->find("b")->key_place.mark().text, "b: x");
}

TEST(YamlText, QuotedTextsMayHoldEscapesAndColons) {
  const auto root = parse_text("a: \"x: \\\"y\\\" # no comment\"\nb: 'it''s'\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->find("a")->value.scalar, "x: \"y\" # no comment");
  EXPECT_EQ(root->find("b")->value.scalar, "it's");
  EXPECT_EQ(root->find("b")->value.place.mark().length, 7);
}

TEST(YamlText, AnErrorOfSyntaxSaysWhatToDo) {
  EXPECT_EQ(diagnose("a: b: c\n"),
            "error: unexpected ':'\n  --> run.yaml:1:5\n   |\n 1 | a: b: c\n   |     ^ help: check the "
            "indentation; quote a text that contains ': '\n");
  EXPECT_EQ(first_error("a: [1, 2\n"), "1:4 this '[' is not closed");
  EXPECT_EQ(first_error("a: {b: 1\n"), "1:4 this '{' is not closed");
  EXPECT_EQ(first_error("z: [1]\na: [x, y\nb: {c: 1}\n"), "2:4 this '[' is not closed");
  EXPECT_EQ(first_error("a: {b: [1, 2], c: 3\nd: [4]\n"), "1:4 this '{' is not closed");
  EXPECT_EQ(first_error("a: {b: [1, 2, c: 3}\n"), "1:8 this '[' is closed by '}' in line 1, column 19");
  EXPECT_EQ(first_error("a: [1, c: 3}\n"), "1:4 this '[' is closed by '}' in line 1, column 12");
  EXPECT_EQ(first_error("a: [1,\n  b, 2}\n"), "1:4 this '[' is closed by '}' in line 2, column 7");
  EXPECT_EQ(first_error("a: {b: 1,\n  c: 2]\n"), "1:4 this '{' is closed by ']' in line 2, column 7");
  EXPECT_EQ(first_error("a: [\"}\", 'it''s [', {c: [1]}}\n"),
            "1:4 this '[' is closed by '}' in line 1, column 29");
  EXPECT_EQ(first_error("a: @x\n"), "1:4 a value cannot begin with this character");
  EXPECT_EQ(first_error("a: ]\n"), "1:4 a closing bracket without an opening bracket");
  EXPECT_EQ(first_error("a: - b\n"), "1:4 a list item cannot begin here");
  EXPECT_EQ(first_error("a:\n  b: 1\n c: 2\n"), "3:2 'c' is indented by 1 space, but the line above by 2");
  EXPECT_EQ(first_error("a: *x\n"), "1:4 an alias ('*') without an anchor ('&') before it");
}

TEST(YamlText, ABracketMayStandFarBehindWhatIsShownOfALine) {
  const auto spaces = std::string(5000, ' ');
  EXPECT_NE(first_error("a:" + spaces + "{b: 1\n"), "");
  EXPECT_NE(first_error("a:" + spaces + "[1, 2\n"), "");
}

TEST(YamlText, AWrongIndentationIsNamed) {
  EXPECT_EQ(
      diagnose("train:\n  epochs: 1\n   model: {name: mlp}\n"),
      "error: 'model' is indented by 3 spaces, but the line above by 2\n  --> run.yaml:3:9\n   |\n"
      " 3 |    model: {name: mlp}\n   |         ^ help: indent the keys of a section alike, by spaces\n");
  EXPECT_EQ(first_error("a:\n  b: 1\n\n  # comment\n c: 2\n"),
            "5:2 'c' is indented by 1 space, but the line above by 2");
  EXPECT_EQ(first_error("a:\n  b: 1\n    x y: 2\n"), "3:8 unexpected ':'");
}

TEST(YamlText, ADecimalCommaIsNamed) {
  EXPECT_EQ(diagnose("optimizer: {learning_rate: 0,001}\n"),
            "error: the comma in '0,001' separates two entries\n  --> run.yaml:1:30\n   |\n"
            " 1 | optimizer: {learning_rate: 0,001}\n"
            "   |                              ^^^ help: write a decimal point: 0.001\n");
  EXPECT_EQ(first_error("a: {b: -1,5e3}\n"), "1:11 the comma in '-1,5e3' separates two entries");
  EXPECT_EQ(first_error("a: {b: 1,5x}\n"), "1:10 '5x' has no value");
}

TEST(YamlText, ValuesStandOnOneLine) {
  EXPECT_EQ(first_error("a: x\n  y\n"), "1:4 a value without quotes continues on the next line");
  EXPECT_EQ(first_error("a: \"x\n  y\"\n"), "1:4 the quote is not closed on this line");
  EXPECT_EQ(first_error("a: \"x\n"), "1:4 the quote is not closed on this line");
  EXPECT_EQ(first_error("a: |\n  x\n  y\n"), "1:4 a value with a line break");
  EXPECT_EQ(first_error("a: \"x\\ny\"\n"), "1:4 a value with a line break");
}

TEST(YamlText, AKeyWithoutValueIsNoDefault) {
  EXPECT_EQ(diagnose("nodes:\nname: x\n"),
            "error: 'nodes' has no value\n"
            "  --> run.yaml:1:1\n"
            "   |\n"
            " 1 | nodes:\n"
            "   | ^^^^^ help: write a value, or null for the default\n");
  EXPECT_EQ(first_error("a: [1, , 2]\n"), "1:8 this list item has no value");
  EXPECT_TRUE(parse_text("nodes: null\n"));
}

TEST(YamlText, TheRootIsAMap) {
  EXPECT_EQ(first_error("- a\n- b\n"), "1:1 the file must hold 'key: value' lines, not a list");
  EXPECT_EQ(first_error("name:x\n"), "1:1 the file must hold 'key: value' lines, not a single value");
}

TEST(YamlText, AnOverrideIsANestedMap) {
  const auto map = parse_override("train.optimizer.learning_rate=3e-4", "/here");
  ASSERT_TRUE(map);
  const auto* entry = map->find_path("train.optimizer.learning_rate");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->value.scalar, "3e-4");
  EXPECT_EQ(entry->value.origin(), Origin::command_line);
  EXPECT_EQ(entry->key_place.mark().column, 17);
  EXPECT_EQ(entry->value.place.mark().column, 31);
  EXPECT_EQ(entry->value.place.mark().text, "train.optimizer.learning_rate=3e-4");
}

TEST(YamlText, AnOverrideTakesFlowValuesAndPlainText) {
  EXPECT_EQ(parse_override("a=[1, 2]", "/")->find("a")->value.items.size(), 2U);
  EXPECT_EQ(parse_override("a={b: 1}", "/")->find_path("a.b")->value.scalar, "1");
  EXPECT_EQ(parse_override("a='x=y'", "/")->find("a")->value.scalar, "x=y");
  EXPECT_EQ(parse_override("a=b: c # d", "/")->find("a")->value.scalar, "b: c # d");
  EXPECT_EQ(parse_override("a=*x", "/")->find("a")->value.scalar, "*x");
  EXPECT_EQ(parse_override("a=null", "/")->find("a")->value.kind, ConfigNode::Kind::null);
}

TEST(YamlText, ABrokenOverrideIsShownWithItsPlace) {
  const auto open = parse_override("command=[a, b", "/");
  ASSERT_FALSE(open);
  EXPECT_EQ(render_diagnostics(open.error()),
            "error: a list or map stands where a key is expected, or a bracket is not closed\n  --> command "
            "line\n   |\n   | command=[a, b\n   |         ^ help: close the bracket, or quote the text\n");
  for (const char* argument : {"nodes", "=1", ".a=1", "a.=1", "a..b=1"}) {
    const auto parsed = parse_override(argument, "/");
    ASSERT_FALSE(parsed) << argument;
    EXPECT_EQ(parsed.error().front().code, ExitCode::usage) << argument;
  }
  EXPECT_EQ(first_error(parse_override("a=", "/").error()), "0:1 no value after '='");
  EXPECT_EQ(first_error(parse_override("a=x\ny", "/").error()), "0:4 control character U+000A");
}

TEST(YamlText, AMissingFileIsNotFound) {
  const auto missing = load_yaml("/nowhere/run.yaml", "run.yaml", Origin::config_file);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().front().code, ExitCode::not_found);
  EXPECT_EQ(render_diagnostics(missing.error()),
            "error: cannot read 'run.yaml': there is no such file\n  help: check the path\n");
  EXPECT_FALSE(load_yaml("/tmp", "/tmp", Origin::config_file));
}

}  // namespace
}  // namespace ddp
