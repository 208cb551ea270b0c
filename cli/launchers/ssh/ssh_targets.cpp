#include "cli/launchers/ssh/ssh_targets.hpp"

#include <algorithm>

#include "cli/spec/setup_lines.hpp"
#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/yaml_text.hpp"

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

}  // namespace

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
  const SshHost unlisted{.host = name};  // a rerun has other hosts
  return KnownHost{
      target_of(host != options.hosts.end() ? *host : unlisted, options, HostKeyPolicy::known_only), options};
}

}  // namespace ddp::cli
