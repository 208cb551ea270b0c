#include "cli/launchers/ssh/keys/host_file.hpp"

#include <filesystem>
#include <string_view>

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/source_check.hpp"
#include "jobenv/config/yaml_text.hpp"

namespace ddp::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::int64_t kMostSlots = 4'096;
constexpr std::int64_t kHighestPort = 65'535;

/// A host, or "key=value" behind it; blanks may stand around the sign.
struct TextWord {
  std::string_view text;
  std::string_view key, value;
  std::size_t column = 0;  ///< from 0
};

std::size_t skip_blanks(std::string_view line, std::size_t at) {
  return std::min(line.find_first_not_of(kBlanks, at), line.size());
}

std::vector<TextWord> split(std::string_view line) {
  line = line.substr(0, line.find('#'));
  constexpr std::string_view kEndsOfKey = " \t\r=";
  std::vector<TextWord> words;
  for (std::size_t begin = skip_blanks(line, 0); begin < line.size();) {
    TextWord word{.text = {}, .key = {}, .value = {}, .column = begin};
    std::size_t end = std::min(line.find_first_of(kEndsOfKey, begin), line.size());
    if (const std::size_t sign = skip_blanks(line, end); sign < line.size() && line[sign] == '=') {
      const std::size_t value = skip_blanks(line, sign + 1);
      word.key = line.substr(begin, end - begin);
      end = std::min(line.find_first_of(kBlanks, value), line.size());
      word.value = line.substr(value, end - value);
    }
    word.text = line.substr(begin, end - begin);
    words.push_back(word);
    begin = skip_blanks(line, end);
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
    HostLine line{{.host = std::string(words.front().text)}, place_of(words.front(), start)};
    std::optional<std::int64_t> most;  // Open MPI's hard limit, which no scheduler of ours exceeds
    for (std::size_t i = 1; i < words.size(); ++i) {
      const TextWord& word = words[i];
      auto* into = member_of(word.key, line.host, most);
      const auto number = into ? parse_whole_number(word.value) : std::nullopt;
      if (number && !*into && *number >= 1 && *number <= (word.key == "port" ? kHighestPort : kMostSlots)) {
        *into = number;
      } else {
        refuse(word, start, "'" + std::string(word.text) + "' is not valid in a host file",
               "write one host per line: node1 slots=4; max_slots and port may follow");
      }
    }
    if (most && line.host.slots && *most < *line.host.slots)
      refuse(words.front(), start, "max_slots is less than slots", "leave out one of them");
    if (!line.host.slots) line.host.slots = most;
    hosts_.push_back(std::move(line));
  }

  static std::optional<std::int64_t>* member_of(std::string_view key, SshHost& host,
                                                std::optional<std::int64_t>& most) {
    if (key == "slots") return &host.slots;
    if (key == "port") return &host.port;
    return key == "max_slots" || key == "max-slots" ? &most : nullptr;
  }

  void refuse(const TextWord& word, std::size_t start, std::string message, std::string hint) {
    errors_.push_back(config_error(place_of(word, start), std::move(message), std::move(hint)));
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
