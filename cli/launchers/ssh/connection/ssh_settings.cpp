#include "cli/launchers/ssh/connection/ssh_settings.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <sstream>

#include "ddp/jobenv/shell_quote.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

/// The lines "keyword value" of `ssh -G`; a keyword may come more than once.
using Printed = std::multimap<std::string, std::string, std::less<>>;

Printed split_lines(std::string_view text) {
  Printed printed;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string::npos) printed.emplace(line.substr(0, blank), line.substr(blank + 1));
  }
  return printed;
}

std::string value_of(const Printed& printed, std::string_view keyword) {
  const auto found = printed.find(keyword);
  return found == printed.end() || found->second == "none" ? "" : found->second;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

/// "~" and the tokens of ssh_config(5), which `ssh -G` leaves as they are in some values. Other tokens stay.
class Tokens {
 public:
  Tokens(const SshSettings& settings, std::string home) : settings_(settings), home_(std::move(home)) {}

  [[nodiscard]] std::string expand(std::string_view text) const {
    std::string expanded;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '%' || at + 1 == text.size()) {
        expanded += text[at];
        continue;
      }
      expanded += meaning_of(text[++at]);
    }
    return expanded;
  }

  [[nodiscard]] std::string expand_path(std::string_view path) const {
    return (path.starts_with("~/") ? home_ : "") + expand(path.starts_with("~/") ? path.substr(1) : path);
  }

 private:
  [[nodiscard]] std::string meaning_of(char token) const {
    switch (token) {
      case '%':
        return "%";
      case 'h':
        return settings_.hostname;
      case 'n':
        return settings_.name;
      case 'k':
        return settings_.key_alias.empty() ? settings_.name : settings_.key_alias;
      case 'p':
        return std::to_string(settings_.port);
      case 'r':
        return settings_.user;
      case 'd':
        return home_;
      default:
        return {'%', token};
    }
  }

  const SshSettings& settings_;
  std::string home_;
};

/// The last of the hosts "a,ann@b,ann@[fd00::1]:2222", to which ssh connects by way of the others.
std::string render_last_jump(std::string host) {
  std::string options;
  if (const std::size_t at = host.rfind('@'); at != std::string::npos) {
    options += "-l " + quote_for_shell(host.substr(0, at)) + " ";
    host.erase(0, at + 1);
  }
  const std::size_t colon = host.find(':', host.starts_with('[') ? host.find(']') : 0);
  if (colon != std::string::npos) options += "-p " + host.substr(colon + 1) + " ";
  host.resize(std::min(colon, host.size()));
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return options + "-- " + quote_for_shell(host);
}

std::string render_jump(const std::string& jump, const SshSettings& settings) {
  const std::size_t comma = jump.rfind(',');
  const std::string others =
      comma == std::string::npos ? "" : "-J " + quote_for_shell(jump.substr(0, comma)) + " ";
  return fmt::format("ssh -T -o BatchMode=yes -W {} {}{}",
                     quote_for_shell(fmt::format("[{}]:{}", settings.hostname, settings.port)), others,
                     render_last_jump(comma == std::string::npos ? jump : jump.substr(comma + 1)));
}

/// ssh tries these where nobody names others.
bool are_defaults(const std::vector<std::string>& files) {
  return files.size() >= 4 &&
         std::ranges::all_of(files, [](const auto& file) { return file.starts_with("~/.ssh/id_"); });
}

void set_identities(SshSettings& settings, const Printed& printed, const Tokens& tokens) {
  std::vector<std::string> files;
  const auto [first, last] = printed.equal_range("identityfile");
  for (auto each = first; each != last; ++each) files.push_back(each->second);
  settings.names_identities = !are_defaults(files);
  for (const auto& file : files) settings.identity_files.push_back(tokens.expand_path(file));
  settings.identities_only = value_of(printed, "identitiesonly") == "yes";
}

/// IdentityAgent may name a file or, by "SSH_AUTH_SOCK" and "$NAME", a variable.
std::string find_agent_socket(const Printed& printed, const EnvMap& environment, const Tokens& tokens) {
  const auto named = printed.find("identityagent");
  if (named == printed.end() || named->second == "SSH_AUTH_SOCK")
    return environment.get("SSH_AUTH_SOCK").value_or("");
  if (named->second == "none") return {};
  if (named->second.starts_with('$')) return environment.get(named->second.substr(1)).value_or("");
  return tokens.expand_path(named->second);
}

int family_of(const std::string& name) {
  if (name == "inet") return AF_INET;
  return name == "inet6" ? AF_INET6 : AF_UNSPEC;
}

/// An argument of ssh for each thing that the run says: it goes before ~/.ssh/config.
std::vector<std::string> arguments_for(const SshTarget& target) {
  std::vector<std::string> arguments{"ssh", "-T", "-G", "-o", "BatchMode=yes"};
  const auto add = [&](const char* option, const std::string& value) {
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  if (target.address) add("-o", "HostName=" + *target.address);
  if (target.user) add("-l", *target.user);
  if (target.port) add("-p", std::to_string(*target.port));
  if (target.identity_file) add("-o", "IdentityFile=\"" + double_percent(*target.identity_file) + "\"");
  arguments.emplace_back("--");
  arguments.push_back(target.host);
  return arguments;
}

std::string command_by_hand(const SshTarget& target) {
  std::string command = "ssh ";
  if (target.address) command += "-o HostName=" + *target.address + " ";
  if (target.port) command += fmt::format("-p {} ", *target.port);
  if (target.identity_file) command += "-i " + quote_for_shell(*target.identity_file) + " ";
  return command + (target.user ? *target.user + "@" : "") + target.host;
}

/// ssh takes it from the list of users, whatever HOME is.
std::string home_of_user() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16'384> room{};
  getpwuid_r(getuid(), &entry, room.data(), room.size(), &found);
  return found == nullptr ? "" : found->pw_dir;
}

/// What ssh says of a configuration that it refuses, in one line.
std::string words_in_one_line(std::string words) {
  words.erase(words.find_last_not_of("\r\n ") + 1);
  std::erase(words, '\r');
  for (std::size_t end = words.find('\n'); end != std::string::npos; end = words.find('\n', end + 2))
    words.replace(end, 1, "; ");
  return words;
}

}  // namespace

std::string double_percent(std::string text) {
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 2))
    text.insert(at, 1, '%');
  return text;
}

SshSettings parse_ssh_settings(std::string_view text, const std::string& home, const EnvMap& environment) {
  const Printed printed = split_lines(text);
  SshSettings settings;
  settings.name = value_of(printed, "host");
  settings.hostname = value_of(printed, "hostname");
  if (settings.name.empty()) settings.name = settings.hostname;  // of an ssh before 9.2
  settings.port = static_cast<int>(parse_whole_number(value_of(printed, "port")).value_or(22));
  settings.user = value_of(printed, "user");
  settings.address_family = family_of(value_of(printed, "addressfamily"));
  settings.key_alias = value_of(printed, "hostkeyalias");
  for (const char* keyword : {"userknownhostsfile", "globalknownhostsfile"}) {
    const auto files = words_of(value_of(printed, keyword));
    settings.known_hosts.insert(settings.known_hosts.end(), files.begin(), files.end());
  }
  const std::string checking = value_of(printed, "stricthostkeychecking");
  settings.accepts_new_keys = checking == "accept-new" || checking == "false" || checking == "no";
  const Tokens tokens(settings, home);
  const std::string jump = value_of(printed, "proxyjump");
  settings.proxy =
      jump.empty() ? tokens.expand(value_of(printed, "proxycommand")) : render_jump(jump, settings);
  set_identities(settings, printed, tokens);
  settings.agent_socket = find_agent_socket(printed, environment, tokens);
  settings.ciphers = value_of(printed, "ciphers");
  settings.key_exchanges = value_of(printed, "kexalgorithms");
  settings.macs = value_of(printed, "macs");
  settings.host_key_types = value_of(printed, "hostkeyalgorithms");
  settings.user_key_types = value_of(printed, "pubkeyacceptedalgorithms");
  return settings;
}

Expected<SshSettings> find_ssh_settings(const SshTarget& target, CommandRunner& runner,
                                        const EnvMap& environment) {
  const auto refuse = [&](const std::string& why, std::string hint) {
    return fail(ExitCode::preflight_failed, target.host + ": " + why, std::move(hint));
  };
  const auto asked = runner.run({.argv = arguments_for(target), .environment = environment});
  if (!asked)
    return refuse("the program 'ssh' is needed to read ~/.ssh/config: " + asked.error().message,
                  "install it: apt-get install openssh-client");
  if (!asked->succeeded())
    return refuse("ssh refuses it: " + words_in_one_line(asked->err),
                  "see what it says: " + command_by_hand(target) + " true");
  SshSettings settings = parse_ssh_settings(asked->out, home_of_user(), environment);
  settings.name = target.host;
  settings.by_hand = command_by_hand(target);
  return settings;
}

}  // namespace ddp::cli
