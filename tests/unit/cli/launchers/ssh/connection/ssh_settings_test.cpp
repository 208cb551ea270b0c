#include "cli/launchers/ssh/connection/ssh_settings.hpp"

#include <gmock/gmock.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SshSettings settings_of(const std::string& printed) {
  EnvMap environment;
  environment.set("SSH_AUTH_SOCK", "/run/agent").set("KEYS", "/keys");
  return parse_ssh_settings("hostname n1\nport 2222\nuser ann\n" + printed, {"me", "/home/me"}, environment);
}

TEST(SshSettings, FilesAreThoseOfAnOlderSshToo) {
  const auto settings = settings_of(
      "userknownhostsfile ~/.ssh/known_hosts ~/.ssh/known_hosts2\nglobalknownhostsfile "
      "/etc/ssh/ssh_known_hosts\n");
  EXPECT_THAT(settings.known_hosts, ElementsAre("/home/me/.ssh/known_hosts", "/home/me/.ssh/known_hosts2"));
  EXPECT_THAT(settings.shared_known_hosts, ElementsAre("/etc/ssh/ssh_known_hosts"));
  EXPECT_THAT(settings_of("userknownhostsfile none\n").known_hosts, IsEmpty());
}

TEST(SshSettings, KeysThatAreNamedAreToldFromTheDefaults) {
  const auto named = settings_of("identityfile ~/%u-%h-%r-%p\nidentityfile ${KEYS}/a%%b\n");
  EXPECT_THAT(named.named_identities, ElementsAre("/home/me/me-n1-ann-2222", "/keys/a%b"));
  EXPECT_THAT(named.default_identities, IsEmpty());
  const auto defaults = settings_of(
      "identityfile ~/.ssh/id_rsa\nidentityfile ~/.ssh/id_ecdsa\nidentityfile ~/.ssh/id_ed25519\n"
      "identityfile ~/.ssh/id_dsa\n");
  EXPECT_EQ(defaults.default_identities.size(), 4u);
  EXPECT_THAT(defaults.named_identities, IsEmpty());
}

TEST(SshSettings, JumpHostsBecomeACommand) {
  EXPECT_EQ(settings_of("proxyjump a,bob@[fd00::1]:2200\n").proxy,
            "ssh -T -o BatchMode=yes -W '[n1]:2222' -J a -l bob -p 2200 -- fd00::1");
  EXPECT_EQ(settings_of("proxyjump a;id\n").proxy, "ssh -T -o BatchMode=yes -W '[n1]:2222' -- 'a;id'");
  EXPECT_EQ(settings_of("proxycommand nc %h %p 100%%\n").proxy, "nc n1 2222 100%");
}

TEST(SshSettings, TheAgentIsThatOfTheConfigurationOrTheEnvironment) {
  EXPECT_EQ(settings_of("").agent_socket, "/run/agent");
  EXPECT_EQ(settings_of("identityagent none\n").agent_socket, "");
  EXPECT_EQ(settings_of("identityagent ~/agent\n").agent_socket, "/home/me/agent");
}

TEST(SshSettings, WhatIsNotDoneIsNamed) {
  EXPECT_EQ(settings_of("pubkeyauthentication no\n").refusal, "'PubkeyAuthentication no'");
  EXPECT_EQ(settings_of("pubkeyauthentication true\nproxyusefdpass no\n").refusal, "");
}

}  // namespace
}  // namespace ddp::cli
