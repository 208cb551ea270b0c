#include "cli/launchers/ssh/keys/host_file.hpp"

#include <filesystem>
#include <string_view>

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/source_check.hpp"
#include "jobenv/config/yaml_text.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kSlots = "slots=";
constexpr std::int64_t kMostSlots = 4'096;

struct TextWord {
  std::string_view text;
  std::size_t column = 0;  ///< from 0
};

std::vector<TextWord> split(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<TextWord> words;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back({line.substr(begin, end - begin), begin});
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

class HostFileParser {
 public:
  explicit HostFileParser(const std::shared_ptr<const SourceText>& source) : source_(source) {}

  tl::expected<std::vector<HostLine>, Errors> parse() {
    for (const std::size_t start : source_->line_starts) {
      const SourceLine line = line_at(*source_, start);
      if (const auto words = split(line.text); !words.empty()) add(words, line.start);
    }
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    return std::move(hosts_);
  }

 private:
  void add(const std::vector<TextWord>& words, std::size_t start) {
    HostLine line{{std::string(words.front().text), std::nullopt, std::nullopt},
                  place_of(words.front(), start)};
    for (std::size_t i = 1; i < words.size(); ++i) {
      const bool is_slots = words[i].text.starts_with(kSlots) && !line.host.slots;
      const auto number =
          is_slots ? parse_whole_number(std::string(words[i].text.substr(kSlots.size()))) : std::nullopt;
      if (number && *number >= 1 && *number <= kMostSlots) {
        line.host.slots = *number;
      } else {
        errors_.push_back(config_error(place_of(words[i], start),
                                       "'" + std::string(words[i].text) + "' is not valid in a host file",
                                       "write one host per line: node1 slots=4"));
      }
    }
    hosts_.push_back(std::move(line));
  }

  [[nodiscard]] Place place_of(const TextWord& word, std::size_t start) const {
    return place_at(source_, start + word.column, static_cast<int>(word.text.size()));
  }

  const std::shared_ptr<const SourceText>& source_;
  std::vector<HostLine> hosts_;
  Errors errors_;
};

}  // namespace

tl::expected<std::vector<HostLine>, Errors> parse_host_file(const std::shared_ptr<const SourceText>& source) {
  if (auto error = check_source_text(source)) return tl::unexpected(Errors{std::move(*error)});
  return HostFileParser(source).parse();
}

void add_hosts_of_file(RunSpec& spec, Errors& errors) {
  auto& ssh = options_of<SshOptions>(spec);
  if (!ssh.host_file) return;
  const std::filesystem::path file = *std::exchange(ssh.host_file, std::nullopt);
  auto lines = load_source_text(file, file.string(), Origin::included_file).and_then(parse_host_file);
  if (!lines) {
    errors.insert(errors.end(), lines.error().begin(), lines.error().end());
    return;
  }
  for (HostLine& line : *lines) {
    spec.origins.by_path["ssh." + item_path("hosts", ssh.hosts.size())] = line.place;
    ssh.hosts.push_back(std::move(line.host));
  }
}

}  // namespace ddp::cli
