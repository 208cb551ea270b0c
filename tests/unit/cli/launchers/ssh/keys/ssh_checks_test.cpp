#include "cli/launchers/ssh/keys/ssh_checks.hpp"

#include "cli/launchers/ssh/keys/pushed_paths.hpp"
#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "cli/launchers/ssh/keys/ssh_warnings.hpp"
#include "cli/spec/render_spec.hpp"
#include "tests/unit/cli/spec/spec_folder.hpp"

namespace ddp::cli {
namespace {

using SshSpec = SpecFolder;

const std::string kSsh = "launcher: ssh\n" + kCommand;

std::vector<std::string> names_of(const std::vector<SshHost>& hosts) {
  std::vector<std::string> names;
  for (const SshHost& host : hosts) names.push_back(host.host);
  return names;
}

TEST_F(SshSpec, HostsAreMapsOrNames) {
  const auto spec = good(
      kSsh +
      "resources: {nodes: 2, tasks_per_node: 4}\n"
      "ssh: {hosts: [{host: n1, slots: 2}, n2, {host: n3, slots: 4, address: 10.0.0.3}, n4], user: me, port: "
      "2222}\n");
  ASSERT_EQ(options_of<SshOptions>(spec).hosts.size(), 4u);
  EXPECT_EQ(options_of<SshOptions>(spec).hosts[0], (SshHost{"n1", 2, std::nullopt}));
  EXPECT_EQ(options_of<SshOptions>(spec).hosts[2], (SshHost{"n3", 4, "10.0.0.3"}));
  EXPECT_EQ(options_of<SshOptions>(spec).user, "me");
  EXPECT_EQ(names_of(hosts_of_run(spec)), (std::vector<std::string>{"n2", "n3"}));
}

TEST_F(SshSpec, WhatIsWrittenIsReadAgain) {
  const auto spec = good(kSsh + "ssh: {hosts: [{host: n1, slots: 2}, n2], connect_timeout: 3s}\n");
  const auto again = good(render_spec(spec));
  EXPECT_EQ(options_of<SshOptions>(again), options_of<SshOptions>(spec));
}

TEST_F(SshSpec, HostsOfAFileFollow) {
  write("project/hosts", "n2 slots=2\nn3\n");
  const auto spec = good(kSsh + "ssh: {hosts: [n1], host_file: hosts}\n");
  EXPECT_EQ(names_of(options_of<SshOptions>(spec).hosts), (std::vector<std::string>{"n1", "n2", "n3"}));
  EXPECT_FALSE(options_of<SshOptions>(spec).host_file);
  EXPECT_NE(error_of(kSsh + "ssh: {host_file: nowhere}\n").find("nowhere"), std::string::npos);
  EXPECT_EQ(error_of(kSsh + "ssh: {hosts: [n2], host_file: hosts}\n"), "1 host 'n2' appears twice");
}

TEST_F(SshSpec, HostsThatAreTooFew) {
  EXPECT_EQ(error_of(kSsh), "1 launcher 'ssh' needs hosts");
  EXPECT_EQ(error_of(kSsh + "resources: {nodes: 3}\nssh: {hosts: [a, b]}\n"),
            "3 3 nodes, but ssh.hosts has 2");
  EXPECT_EQ(
      error_of(kSsh + "resources: {nodes: 2, tasks_per_node: 4}\nssh: {hosts: [a, {host: b, slots: 3}]}\n"),
      "3 2 hosts with 4 slots are needed, and 1 of 2 have that many");
}

const std::string kElastic =
    "launcher: ssh\nresources: {nodes: 4, tasks_per_node: 2}\nssh: {hosts: [a, b, c, d]}\nfault_tolerance: ";

std::string training_of(const std::string& batch) {
  return "train:\n  epochs: 1\n  model: {name: mlp}\n  data: {name: synthetic, " + batch +
         "}\n  optimizer: {name: sgd, learning_rate: 0.1}\n";
}

TEST_F(SshSpec, ACommandMayDoWithAnyNumberOfHostsFromTheLeast) {
  EXPECT_EQ(good(kElastic + "{min_nodes: 2}\n" + kCommand).fewer_nodes(), (std::vector<int>{2, 3}));
  EXPECT_TRUE(good(kElastic + "{min_nodes: 4}\n" + kCommand).fewer_nodes().empty());
  EXPECT_TRUE(good(kElastic + "{}\n" + kCommand).fewer_nodes().empty());
  EXPECT_EQ(error_of(kElastic + "{min_nodes: 5}\n" + kCommand), "4 min_nodes is 5, but resources.nodes is 4");
}

TEST_F(SshSpec, ATrainingKeepsTheBatchOfAStepWithFewerHosts) {
  EXPECT_EQ(good(kElastic + "{min_nodes: 1}\n" + training_of("global_batch_size: 64")).fewer_nodes(),
            (std::vector<int>{1, 2}));
  EXPECT_EQ(error_of(kElastic + "{min_nodes: 3}\n" + training_of("global_batch_size: 64")),
            "4 global_batch_size 64 is a multiple of the number of ranks with all 4 hosts only");
  EXPECT_EQ(error_of(kElastic + "{min_nodes: 1}\n" + training_of("batch_size: 8")),
            "4 with fewer hosts a step would have fewer samples: train.data.batch_size is per rank");
}

TEST_F(SshSpec, NamesThatMeanMoreAreRefused) {
  for (const char* name : {"-oProxyCommand=x", "a b", "a;b", "$(x)", "a\\"}) {
    const std::string quoted = "'" + std::string(name) + "'";
    EXPECT_EQ(error_of(kSsh + "ssh: {hosts: [" + quoted + "]}\n"),
              "3 " + quoted + " is not a valid name for ssh");
    EXPECT_EQ(error_of(kSsh + "ssh: {hosts: [n1], user: " + quoted + "}\n"),
              "3 " + quoted + " is not a valid login name for ssh");
  }
}

/// "user host port" as a run would use them.
std::string parts_of(const SshHost& host) {
  return host.user.value_or("-") + " " + host.host + " " + (host.port ? std::to_string(*host.port) : "-");
}

TEST_F(SshSpec, AHostMayNameItsUserAndPort) {
  const std::map<std::string, std::string> forms = {{"gpu_1", "- gpu_1 -"},
                                                    {"ann@gpu-", "ann gpu- -"},
                                                    {"n1:2222", "- n1 2222"},
                                                    {"ann@n1:22", "ann n1 22"},
                                                    {"fd00::1", "- fd00::1 -"},
                                                    {"ann@[fd00::1]:2222", "ann fd00::1 2222"},
                                                    {"[fd00::1]", "- fd00::1 -"},
                                                    {"ann@corp.org@n1", "ann@corp.org n1 -"},
                                                    {"{host: 'ann@n1', user: eve}", "eve n1 -"}};
  for (const auto& [text, parts] : forms) {
    const std::string quoted = text.starts_with('{') ? text : "'" + text + "'";
    const auto spec = good(kSsh + "ssh: {hosts: [" + quoted + "]}\n");
    EXPECT_EQ(parts_of(options_of<SshOptions>(spec).hosts.front()), parts);
  }
  for (const char* text : {"@n1", "ann@", "n1:", "n1:http", "n1:99999", "[n1", "[fd00::1]x", "n1:2:3"}) {
    EXPECT_EQ(error_of(kSsh + "ssh: {hosts: ['" + text + "']}\n"),
              "3 '" + std::string(text) + "' is not a valid name for ssh");
  }
  EXPECT_EQ(error_of(kSsh + "ssh: {hosts: ['n1:4']}\n"), "3 'n1:4' may mean a port or a number of slots");
}

TEST_F(SshSpec, TheFolderForWhatIsPushedIsOneOfTheHosts) {
  EXPECT_EQ(options_of<SshOptions>(good(kSsh + "ssh: {hosts: [n1], stage: push, push_folder: /scratch/me}\n"))
                .push_folder,
            "/scratch/me");
  EXPECT_EQ(
      options_of<SshOptions>(good(kSsh + "ssh: {hosts: [n1], stage: push, push_folder: ~/me}\n")).push_folder,
      "~/me");
  EXPECT_NE(error_of(kSsh + "ssh: {hosts: [n1], stage: push, push_folder: /scratch/$USER}\n")
                .find("variables in '/scratch/$USER' are not replaced"),
            std::string::npos);
  EXPECT_EQ(error_of(kSsh + "ssh: {hosts: [n1], stage: push, push_folder: scratch}\n"),
            "3 'scratch' is not an absolute path");
}

const std::string kPush = kSsh + "ssh:\n  hosts: [n1]\n  stage: push\n  push: ";

TEST_F(SshSpec, FilesThatArePushedLieBelowTheCurrentFolder) {
  EXPECT_EQ(options_of<SshOptions>(good(kPush + "[train.py, ./lib/, .]\n")).push,
            (std::vector<std::string>{"train.py", "./lib/", "."}));
  for (const char* path : {"/etc/passwd", "..", "../train.py", "lib/../../train.py", ""}) {
    const std::string quoted = "'" + std::string(path) + "'";
    EXPECT_EQ(error_of(kPush + "[train.py, " + quoted + "]\n"),
              "6 " + quoted + " is not a path below the current folder");
  }
}

TEST_F(SshSpec, TheFilesOfAFolderThatIsPushedArePushed) {
  const auto spec = good(kPush + "[./train.py, lib/]\n");
  for (const char* file : {"train.py", "./train.py", "lib", "lib/a.py", "lib/../lib/deep/b.py"})
    EXPECT_TRUE(names_pushed_file(spec, file)) << file;
  for (const char* file : {"other.py", "library/a.py", "lib/../other.py", "../lib/a.py", "/lib/a.py"})
    EXPECT_FALSE(names_pushed_file(spec, file)) << file;
  EXPECT_TRUE(names_pushed_file(good(kPush + "[.]\n"), "lib/a.py"));
}

TEST_F(SshSpec, PushWithoutItsStageIsAWarningAtItsPlace) {
  std::vector<std::string> warnings;
  warn_of_ssh_keys(good(kSsh + "ssh:\n  hosts: [n1]\n  push: [train.py]\n"), warnings);
  EXPECT_EQ(warnings, std::vector<std::string>{"run.yaml:5:9: ssh.push has no effect: ssh.stage is shared, "
                                               "and the hosts see the files"});
}

TEST_F(SshSpec, ARunThatIsPushedNeedsItsFirstHost) {
  EXPECT_EQ(error_of(kSsh + "ssh: {hosts: [n1, n2], stage: push}\nresources: {nodes: 2}\n"
                            "fault_tolerance: {min_nodes: 1}\n"),
            "5 with ssh.stage: push, records and checkpoints are on the first host only");
}

TEST_F(SshSpec, AHostIsThereOnce) {
  EXPECT_EQ(error_of(kSsh + "ssh:\n  hosts:\n    - n1\n    - n2\n    - n1\n"), "7 host 'n1' appears twice");
  EXPECT_EQ(error_of(kSsh + "ssh: {hosts: [{slots: 2}]}\n"), "3 this host has no name");
  EXPECT_EQ(error_of(kSsh + "ssh: {hosts: [[n1]]}\n").substr(0, 40),
            "3 each item of 'hosts' must be a map of ");
  EXPECT_EQ(error_of(kSsh + "ssh: {hosts: [{host: n1, slot: 2}]}\n"), "3 unknown key 'slot'");
}

TEST_F(SshSpec, WhatThisVersionLacksIsSaid) {
  EXPECT_EQ(error_of(kSsh + "ssh: {hosts: [n1]}\nsweep: {command: [[a], [b]]}\n"),
            "4 a sweep does not run on ssh hosts in this version");
}

TEST_F(SshSpec, OtherLaunchersPassTheSectionOver) {
  EXPECT_EQ(good("ssh: {hosts: [n1]}\n" + kCommand).launcher, find_launcher("local"));
}

}  // namespace
}  // namespace ddp::cli
