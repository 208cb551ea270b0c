#include "cli/launchers/ssh/ssh_targets.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/spec/setup_lines.hpp"
#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/yaml_text.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/fields/lenient_fields.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

SshTarget target_of(const SshHost& host, const SshOptions& options, HostKeyPolicy host_keys) {
  SshTarget target{.host = host.host,
                   .address = host.address,
                   .user = host.user ? host.user : options.user,
                   .port = std::nullopt,
                   .identity_file = options.identity_file,
                   .timeout = options.connect_timeout,
                   .host_keys = host_keys};
  if (const auto port = host.port ? host.port : options.port) target.port = static_cast<int>(*port);
  return target;
}

/// How the hosts of all attempts are reached, by name.
std::filesystem::path hosts_file(const RunFolder& folder) {
  return folder.root() / "ssh_hosts.json";
}

nlohmann::json load_hosts(const RunFolder& folder) {
  auto hosts = parse_json(load_file(hosts_file(folder)).value_or(""));
  return hosts.is_object() ? hosts : nlohmann::json::object();
}

/// Without settings of its own where nothing is known of it.
SshHost recall_host(const RunFolder& folder, const std::string& name) {
  SshHost host{.host = name};
  const auto hosts = load_hosts(folder);
  const auto known = hosts.find(name);
  if (known == hosts.end() || !known->is_object()) return host;
  if (const auto address = text_of(*known, "address"); !address.empty()) host.address = address;
  if (const auto user = text_of(*known, "user"); !user.empty()) host.user = user;
  host.port = number_of<std::int64_t>(*known, "port");
  return host;
}

}  // namespace

Expected<void> remember_hosts(const RunFolder& folder, const RunSpec& spec) {
  auto hosts = load_hosts(folder);
  for (const SshHost& host : hosts_of_run(spec)) {
    auto& known = hosts[host.host] = nlohmann::json::object();
    if (host.address) known["address"] = *host.address;
    if (host.user) known["user"] = *host.user;
    if (host.port) known["port"] = *host.port;
  }
  return save_file(hosts_file(folder), hosts.dump(1) + "\n", Durability::visible);
}

std::vector<SshTarget> targets_of(const RunSpec& spec, HostKeyPolicy host_keys) {
  std::vector<SshTarget> targets;
  for (const SshHost& host : hosts_of_run(spec))
    targets.push_back(target_of(host, options_of<SshOptions>(spec), host_keys));
  return targets;
}

Expected<KnownHost> load_host(const std::filesystem::path& spec_file, const std::string& name) {
  const auto root = load_yaml(spec_file, spec_file.string(), Origin::config_file, kTextKeys);
  if (!root) return tl::unexpected(root.error().front());
  Errors errors;
  FieldReader reader(*root, {}, errors);
  reader.accept_any_key();
  SshOptions options;
  reader.section({SshOptions::kLauncher, {}}, [&] { options.describe(reader); });
  reader.finish();
  if (!errors.empty()) return tl::unexpected(errors.front());
  const auto host = std::ranges::find(options.hosts, name, &SshHost::host);
  const SshHost known =
      host != options.hosts.end() ? *host : recall_host(RunFolder(spec_file.parent_path()), name);
  return KnownHost{target_of(known, options, HostKeyPolicy::known_only), options};
}

}  // namespace ddp::cli
