#include "cli/spec/shell_script.hpp"

#include <algorithm>

#include "ddp/jobenv/shell_quote.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kOptionOfSbatch = "#SBATCH";

bool has_option_of_sbatch(std::string_view text) {
  return text.starts_with(kOptionOfSbatch) || text.find("\n" + std::string(kOptionOfSbatch)) != text.npos;
}

}  // namespace

std::optional<Error> recognise_shell_script(const std::shared_ptr<const SourceText>& source) {
  const std::string_view text = source->text;
  const bool is_batch = has_option_of_sbatch(text);
  if (!is_batch && !text.starts_with("#!")) return std::nullopt;
  const auto length = std::min(text.find('\n'), text.size());
  return config_error(place_at(source, 0, std::max(1, static_cast<int>(length))),
                      "'" + source->name + "' is a " + (is_batch ? "batch script" : "script") +
                          ", but a configuration is a YAML file",
                      is_batch ? "print the configuration that it stands for: ddpsubmit import " +
                                     quote_on_one_line(source->name)
                               : "to write a first configuration: ddpsubmit init");
}

}  // namespace ddp::cli
