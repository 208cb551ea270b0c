#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "jobenv/config/config_limits.hpp"
#include "parse_text.hpp"

namespace ddp {
namespace {

std::string repeat(const std::string& text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// Nine lists of nine aliases each: 9^9 values from 400 bytes.
std::string alias_bomb() {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    const std::string alias = std::string("*") + static_cast<char>(c - 1);
    text += std::string(1, c) + ": &" + c + " [" + alias + repeat(", " + alias, 8) + "]\n";
  }
  return text;
}

TEST(HostileYaml, AliasBombsEndAtTheLimit) {
  EXPECT_EQ(first_error(alias_bomb()), "5:4 more than 100000 values, counting those that aliases repeat");
}

TEST(HostileYaml, AliasesThatLoopAreErrors) {
  EXPECT_EQ(first_error("a: &x\n  - *x\n"), "2:5 this alias is inside the value that it refers to");
  EXPECT_EQ(first_error("a: &x {b: {c: *x}}\n"), "1:15 this alias is inside the value that it refers to");
}

TEST(HostileYaml, DepthEndsAtTheLimit) {
  EXPECT_TRUE(parse_text("a: " + repeat("[", 31) + repeat("]", 31) + "\n"));
  EXPECT_EQ(first_error("a: " + repeat("[", 32) + repeat("]", 32) + "\n"),
            "1:35 nested deeper than 32 levels");
  EXPECT_EQ(first_error("a: " + repeat("[", 1'000'000)), "1:35 nested deeper than 32 levels");
  EXPECT_EQ(first_error(repeat("- ", 100'000)), "1:65 nested deeper than 32 levels");
  EXPECT_EQ(first_error("a: " + repeat("{a: ", 100'000)), "1:128 nested deeper than 32 levels");
}

TEST(HostileYaml, DuplicateKeysNameBothLines) {
  EXPECT_EQ(diagnose("nodes: 1\nname: x\nnodes: 2\n"),
            "error: the key 'nodes' appears twice\n  --> run.yaml:3:1\n   |\n 3 | nodes: 2\n   | ^^^^^ help: "
            "the first is on line 1\n");
  EXPECT_EQ(first_error("a: {b: 1, 'b': 2}\n"), "1:11 the key 'b' appears twice");
}

TEST(HostileYaml, ASecondDocumentIsAnError) {
  EXPECT_EQ(first_error("a: 1\n---\nb: 2\n"), "2:1 a second document begins here");
  EXPECT_EQ(first_error("a: 1\n...\nb: 2\n"), "3:1 a second document begins here");
  EXPECT_TRUE(parse_text("---\na: 1\n...\n"));
}

TEST(HostileYaml, ControlCharactersAreErrors) {
  EXPECT_EQ(first_error(std::string("a: x\0y\n", 7)), "1:5 control character NUL");
  EXPECT_EQ(first_error("a: 1\nb: \x1B[31m\n"), "2:4 control character U+001B");
  EXPECT_EQ(first_error("a: x\x7F\n"), "1:5 control character U+007F");
  EXPECT_EQ(first_error("a: x\xC2\x85y\n"), "1:5 control character U+0085");
  EXPECT_EQ(first_error("a: x # \xE2\x80\xAE evil\n"), "1:8 control character U+202E");
  EXPECT_EQ(first_error("a: x\ry\n"), "1:5 control character U+000D");
  EXPECT_EQ(first_error("a: \"x\\u0007\"\n"), "1:4 a control character in a value");
  EXPECT_EQ(first_error("a: \"x\\ty\"\n"), "1:4 a control character in a value");
  EXPECT_EQ(first_error("\"a\\0\": 1\n"), "1:1 a control character in a value");
}

TEST(HostileYaml, OnlyUtf8IsText) {
  EXPECT_EQ(first_error("a: \xFF\n"), "1:4 the text is not UTF-8");
  EXPECT_EQ(first_error("a: \xC0\xAF\n"), "1:4 the text is not UTF-8");
  EXPECT_EQ(first_error("a: \xED\xA0\x80\n"), "1:4 the text is not UTF-8");
  EXPECT_EQ(first_error("a: \xE2\x82"), "1:4 the text is not UTF-8");
  EXPECT_EQ(first_error(std::string("\xFF\xFE"
                                    "a\0",
                                    4)),
            "1:1 the text is UTF-16");
  EXPECT_TRUE(parse_text("a: \xC3\xA4\xE2\x82\xAC\xF0\x9F\x9A\x80\n"));
}

TEST(HostileYaml, TabsInIndentationAreErrors) {
  EXPECT_EQ(diagnose("a:\n\tb: 1\n"),
            "error: tab in indentation\n"
            "  --> run.yaml:2:1\n"
            "   |\n"
            " 2 |  b: 1\n"
            "   | ^ help: indent with spaces\n");
  EXPECT_EQ(first_error("a:\n  \tb: 1\n"), "2:3 tab in indentation");
  EXPECT_TRUE(parse_text("a: 1\t# comment\n\t\nb: 2\n"));
}

TEST(HostileYaml, TagsAndOtherKeysThanTextsAreErrors) {
  EXPECT_EQ(first_error("a: !!python/object x\n"), "1:4 tags are not supported");
  EXPECT_EQ(first_error("a: !!map {}\n"), "1:4 tags are not supported");
  EXPECT_EQ(first_error("? [a]\n: b\n"),
            "1:3 a list or map stands where a key is expected, or a bracket is not closed");
  EXPECT_EQ(first_error("{a: b}: c\n"),
            "1:1 a list or map stands where a key is expected, or a bracket is not closed");
  EXPECT_EQ(first_error("~: c\n"), "1:1 a key must be a text");
  EXPECT_EQ(first_error("a: &x b\n*x : c\n"), "2:1 a key must be a text");
  EXPECT_EQ(first_error("a: &x {k: v}\nb:\n  <<: *x\n"), "3:3 merge keys are not supported");
}

TEST(HostileYaml, AllErrorsOfAFileComeAtOnceInOrder) {
  const auto root = parse_text("a: !!int 1\nb:\nc: 1\nc: 2\n");
  ASSERT_FALSE(root);
  ASSERT_EQ(root.error().size(), 3U);
  EXPECT_EQ(root.error()[0].where->line, 1);
  EXPECT_EQ(root.error()[1].where->line, 2);
  EXPECT_EQ(root.error()[2].where->line, 4);
}

TEST(HostileYaml, ErrorsAreLimitedToo) {
  const auto root = parse_text(repeat("a: 1\n", 100'000));
  ASSERT_FALSE(root);
  EXPECT_LE(root.error().size(), 101U);
}

TEST(HostileYaml, LargeFilesAreNotRead) {
  const auto file = std::filesystem::temp_directory_path() / ("large-" + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "a: 1\n";
  std::filesystem::resize_file(file, 50'000'000);
  const auto root = load_yaml(file, "large.yaml", Origin::config_file);
  std::filesystem::remove(file);
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().front().message, "cannot read 'large.yaml': it is larger than 1 MiB");
}

// Sanitizers keep freed memory: the sizes say nothing there.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Mebibytes by which the peak memory of a process grows while it runs `body`.
long grown_by(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    body();
    getrusage(RUSAGE_SELF, &after);
    _exit(static_cast<int>(std::min<long>((after.ru_maxrss - before.ru_maxrss) / 1024, 255)));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

TEST(HostileYaml, MemoryIsBounded) {
  const std::size_t limit = kMaxConfigBytes - 64;
  for (const std::string& text : {alias_bomb(), repeat("[", limit), "a: [" + repeat("x,", limit / 2) + "x]",
                                  "a: {" + repeat("\"", limit), "a: [" + repeat("&a x,", limit / 5) + "x]",
                                  repeat("a: &a\n", limit / 6), "a: " + repeat("x", limit)}) {
    EXPECT_LT(grown_by([&] { (void)diagnose(text); }), 128) << text.substr(0, 40);
  }
}
#endif

}  // namespace
}  // namespace ddp
