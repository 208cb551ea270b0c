#include "cli/launchers/ssh/connection/ssh_settings.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>

#include "ddp/jobenv/shell_quote.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp::cli {
namespace {

/// For what `Match exec` runs.
constexpr std::chrono::seconds kPatience{30};

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

/// "~", "${NAME}" and the tokens of ssh_config(5), which `ssh -G` leaves as they are in some values. Other
/// tokens stay.
class Tokens {
 public:
  Tokens(const SshSettings& settings, const LocalPerson& person, const EnvMap& environment)
      : settings_(settings), person_(person), environment_(environment) {}

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
    const bool is_home = path.starts_with("~/");
    return (is_home ? person_.home : "") + expand_variables(expand(is_home ? path.substr(1) : path));
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
        return person_.home;
      case 'u':
        return person_.name;
      case 'i':
        return std::to_string(getuid());
      default:
        return {'%', token};
    }
  }

  [[nodiscard]] std::string expand_variables(std::string text) const {
    for (std::size_t begin = text.find("${"); begin != std::string::npos; begin = text.find("${", begin)) {
      const std::size_t end = text.find('}', begin);
      if (end == std::string::npos) break;
      const auto value = environment_.get(text.substr(begin + 2, end - begin - 2)).value_or("");
      text.replace(begin, end + 1 - begin, value);
      begin += value.size();
    }
    return text;
  }

  const SshSettings& settings_;
  const LocalPerson& person_;
  const EnvMap& environment_;
};

/// "a b" of `ssh -G` may be two files, or one with a blank in its name: then that is there.
std::vector<std::string> files_of(const std::string& value, const Tokens& tokens) {
  std::error_code error;
  const auto whole = tokens.expand_path(value);
  if (value.empty() || std::filesystem::exists(whole, error))
    return value.empty() ? std::vector<std::string>() : std::vector<std::string>{whole};
  auto files = words_of(value);
  for (auto& file : files) file = tokens.expand_path(file);
  return files;
}

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
  auto& into = are_defaults(files) ? settings.default_identities : settings.named_identities;
  for (const auto& file : files) into.push_back(tokens.expand_path(file));
  settings.identities_only = value_of(printed, "identitiesonly") == "yes";
}

/// Options that change who gets what, and that libssh does not have.
std::string find_refusal(const Printed& printed) {
  if (value_of(printed, "proxyusefdpass") == "yes") return "ProxyUseFdpass";
  const auto keys = value_of(printed, "pubkeyauthentication");
  return keys == "no" || keys == "false" ? "'PubkeyAuthentication no'" : "";
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
  arguments.emplace_back("--");
  arguments.push_back(target.host);
  return arguments;
}

std::string command_by_hand(const SshTarget& target) {
  std::string command = "ssh ";
  if (target.address) command += "-o HostName=" + *target.address + " ";
  if (target.port) command += fmt::format("-p {} ", *target.port);
  if (target.identity_file) command += "-i " + quote_for_shell(*target.identity_file) + " ";
  return command + quote_for_shell((target.user ? *target.user + "@" : "") + target.host);
}

/// ssh takes them from the list of users, whatever HOME is.
LocalPerson find_person() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16'384> room{};
  getpwuid_r(getuid(), &entry, room.data(), room.size(), &found);
  return found == nullptr ? LocalPerson{} : LocalPerson{found->pw_name, found->pw_dir};
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

SshSettings parse_ssh_settings(std::string_view text, const LocalPerson& person, const EnvMap& environment) {
  const Printed printed = split_lines(text);
  SshSettings settings;
  settings.name = value_of(printed, "host");
  settings.hostname = value_of(printed, "hostname");
  if (settings.name.empty()) settings.name = settings.hostname;  // of an ssh before 9.2
  settings.port = static_cast<int>(parse_whole_number(value_of(printed, "port")).value_or(22));
  settings.user = value_of(printed, "user");
  settings.address_family = family_of(value_of(printed, "addressfamily"));
  settings.bind_address = value_of(printed, "bindaddress");
  settings.key_alias = value_of(printed, "hostkeyalias");
  const std::string checking = value_of(printed, "stricthostkeychecking");
  settings.accepts_new_keys = checking == "accept-new" || checking == "false" || checking == "no";
  const Tokens tokens(settings, person, environment);
  settings.known_hosts = files_of(value_of(printed, "userknownhostsfile"), tokens);
  settings.shared_known_hosts = files_of(value_of(printed, "globalknownhostsfile"), tokens);
  settings.revoked_host_keys = tokens.expand_path(value_of(printed, "revokedhostkeys"));
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
  settings.refusal = find_refusal(printed);
  return settings;
}

Expected<SshSettings> find_ssh_settings(const SshTarget& target, CommandRunner& runner,
                                        const EnvMap& environment) {
  const auto refuse = [&](const std::string& why, std::string hint) {
    return fail(ExitCode::preflight_failed, target.host + ": " + why, std::move(hint));
  };
  if (!resolve_program("ssh", environment))
    return refuse("the program 'ssh', which tells its settings, is not in PATH",
                  "install it: apt-get install openssh-client");
  const auto asked =
      runner.run({.argv = arguments_for(target), .environment = environment, .timeout = kPatience});
  if (!asked)
    return refuse("its settings for ssh are not known: " + asked.error().message, asked.error().hint);
  const std::string by_hand = command_by_hand(target);
  if (asked->end == CommandResult::End::timed_out)
    return refuse("ssh has not told its settings within 30 s",
                  "a 'Match exec' in ~/.ssh/config may hang; try: ssh -G " + target.host);
  if (!asked->succeeded())
    return refuse("ssh refuses it: " + words_in_one_line(asked->err),
                  "see what it says: " + by_hand + " true");
  SshSettings settings = parse_ssh_settings(asked->out, find_person(), environment);
  settings.name = target.host;
  settings.by_hand = by_hand;
  std::error_code error;
  if (const auto& file = target.identity_file;
      file && !std::filesystem::exists(*file, error) && !std::filesystem::exists(*file + ".pub", error))
    return refuse("ssh.identity_file '" + *file + "' does not exist", "name a private key, or leave it out");
  if (target.identity_file)
    settings.named_identities.insert(settings.named_identities.begin(), *target.identity_file);
  if (!settings.refusal.empty())
    return refuse("~/.ssh/config has " + settings.refusal + " for it, which ddpsubmit cannot do",
                  "give this host another setting");
  return settings;
}

}  // namespace ddp::cli
