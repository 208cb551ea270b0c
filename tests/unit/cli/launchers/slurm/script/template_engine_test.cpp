#include "cli/launchers/slurm/script/template_engine.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

std::string render(const std::string& text, const TemplateValues& values) {
  return render_template(text, values, "t").value();
}

std::string error_of(const std::string& text, const TemplateValues& values = {}) {
  const auto rendered = render_template(text, values, "my.mustache");
  return rendered ? "no error" : rendered.error().message;
}

TEST(TemplateEngine, QuotesTwoBracesAndNotThree) {
  EXPECT_EQ(render("{{a}} {{{a}}}", {{"a", std::string("x y'")}}), "'x y'\\''' x y'");
}

TEST(TemplateEngine, RepeatsASectionForEachItem) {
  const TemplateValues values{
      {"lines", std::vector<std::string>{"a<b", "c"}}, {"some", true}, {"none", false}};
  EXPECT_EQ(render("{{#lines}}\n- {{{.}}}\n{{/lines}}\nend\n", values), "- a<b\n- c\nend\n");
  EXPECT_EQ(render("{{#some}}yes{{/some}}{{#none}}no{{/none}}{{^none}}else{{/none}}", values), "yeselse");
}

TEST(TemplateEngine, LeavesNoTraceOfAComment) {
  EXPECT_EQ(render("a\n{{! b\n c }}\nd\n", {}), "a\n\nd\n");
}

TEST(TemplateEngine, RefusesANameWithoutValue) {
  EXPECT_EQ(error_of("{{run}}"), "my.mustache: unknown variable 'run'");
  EXPECT_EQ(error_of("{{#run}}x{{/run}}"), "my.mustache: unknown variable 'run'");
  EXPECT_EQ(error_of("{{> other}}"), "my.mustache: unknown variable '> other'");
  const auto rendered = render_template("{{run_i}}", {{"run_id", std::string("x")}}, "t");
  EXPECT_EQ(rendered.error().hint, "did you mean 'run_id'?");
  EXPECT_EQ(rendered.error().code, ExitCode::config_invalid);
}

TEST(TemplateEngine, RefusesWhatCannotBeParsed) {
  EXPECT_NE(error_of("{{#a}}x", {{"a", true}}), "no error");
  EXPECT_NE(error_of("{{a", {{"a", true}}), "no error");
}

}  // namespace
}  // namespace ddp::cli
