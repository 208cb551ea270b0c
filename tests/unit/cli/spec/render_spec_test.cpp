#include "cli/spec/render_spec.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "spec_folder.hpp"
#include "trainer/config/load_train_config.hpp"

namespace ddp::cli {
namespace {

class RenderSpec : public SpecFolder {
 protected:
  /// The spec as it is read from its own rendering; user.yaml must not matter.
  [[nodiscard]] RunSpec reloaded(const RunSpec& spec) const {
    write("home/.config/ddpsubmit/user.yaml", "slurm: {account: intruder}\n");
    write("runs/x/spec.yaml", render_spec(spec));
    auto again = load_resolved_spec(root_ / "runs/x/spec.yaml");
    EXPECT_TRUE(again) << render_spec(spec) << render_diagnostics(again ? Errors{} : again.error());
    return again.value_or(RunSpec{});
  }
};

constexpr const char* kEverything = R"(name: every-key
launcher: slurm
run_root: /scratch/runs
resources: {nodes: 2, tasks_per_node: 4, gpus_per_node: 4, cpus_per_task: 8, memory: 64GiB, time: "02:00:00"}
slurm: {partition: a40, account: x, qos: q, reservation: r, constraint: 'a&b', nodelist: 'n[1-3]', exclude: e,
        gres: "gpu:a40:4", mail_user: u, mail_type: END, setup: ["module load cuda", 'echo "a # b"'],
        template: my.sbatch.mustache, options: {contiguous: '', hint: nomultithread}, srun_options: {cpu-bind: none, overlap: ''}, comment: '{"a": 1}', dependency: 'afterok:1', exclusive: user, segment: 1, output: 'logs/%x-%j.out'}
environment: {inherit: false, set: {K: 'v: w', "TRUE": true, N: "null", E: ''}, pass: [HF_HOME], secrets: [WANDB_API_KEY],
              setup: ["source env.sh"]}
rendezvous: {backend: gloo, interface: eth0, timeout: 90s, shared_memory: false}
fault_tolerance: {max_restarts: 0, requeue: false, signal: USR1, signal_lead: 3m, grace_period: 10s, exit_timeout: 1h1m1s, hang_timeout: 90s}
train:
  program: ./bin/my_trainer
  mode: train
  seed: 7
  max_steps: 100
  device: cuda
  model: {name: mlp, input_dim: 16, hidden_dims: [8, 4], num_classes: 3}
  data: {name: synthetic, samples: 100, features: 16, num_classes: 3, global_batch_size: 64, shuffle: false, drop_last: true}
  optimizer: {name: sgd, learning_rate: 1e-4, momentum: 0.9, nesterov: true}
  ddp: {bucket_cap_mib: 1, find_unused_parameters: true, static_graph: true, gradient_as_bucket_view: false}
  checkpoint: {every_epochs: 2, every_steps: 3, every: 10m, keep: 4, resume: never, path: /a/b}
  evaluate: {every_epochs: 0}
  log: {every_steps: 9, tensorboard: true}
)";

TEST_F(RenderSpec, EveryKeySurvives) {
  const RunSpec spec = good(kEverything);
  EXPECT_EQ(reloaded(spec), spec);
}

TEST_F(RenderSpec, DefaultsSurvive) {
  const RunSpec trained = good(
      "train: {epochs: 1, model: {name: convnet}, data: {name: fashion_mnist}, optimizer: {name: adam}}\n");
  EXPECT_EQ(reloaded(trained), trained);
  const RunSpec evaluated =
      good("train: {mode: evaluate, model: {name: convnet}, data: {name: fashion_mnist}}\n");
  EXPECT_EQ(reloaded(evaluated), evaluated);
  const RunSpec commanded =
      good("command: [python, '-c', 'print(\"a: #b\", [1])', '', '~', 'null', '\\x', '12', 'true', '- a']\n");
  EXPECT_EQ(reloaded(commanded), commanded);
}

/// Every printable character of ASCII that a path can hold, in one name and each in a name of its own, and
/// some beyond it.
std::vector<std::string> odd_names() {
  std::vector<std::string> names = {"",      "$HOME", "a$",  "$$",   "my $x dir",
                                    "ä → €", "~",     " a ", "null", "a: b # c"};
  for (char c = ' '; c <= '~'; ++c) {
    if (c == '/') continue;
    names.front() += c;
    names.push_back(std::string("a") + c + "b");
    names.push_back(std::string(1, c) + "x");
  }
  return names;
}

std::string data_root_of(const trainer::TrainConfig& config) {
  return std::get<std::string>(config.data.source.options.at("root"));
}

TEST_F(RenderSpec, PathsInAnyFolderSurviveForRerunAndForTheTrainer) {
  for (const std::string& name : odd_names()) {
    const auto project = root_ / name;
    write(
        name + "/run.yaml",
        "name: x\nslurm: {template: t}\ntrain: {epochs: 1, model: {name: convnet}, optimizer: {name: adam}, "
        "data: {name: fashion_mnist, root: data}}\n");
    const auto spec = load_run_spec({.file = project / "run.yaml",
                                     .arguments = {},
                                     .environment = {},
                                     .current_folder = project,
                                     .installed_folder = {}});
    ASSERT_TRUE(spec) << name << render_diagnostics(spec.error());
    ASSERT_EQ(spec->run_root, (project / "runs").lexically_normal());
    EXPECT_EQ(reloaded(*spec), *spec) << render_spec(*spec);
    const auto config = trainer::load_train_config(root_ / "runs/x/spec.yaml", 1, "");
    ASSERT_TRUE(config) << render_spec(*spec) << render_diagnostics(config.error());
    EXPECT_EQ(data_root_of(*config), data_root_of(*spec->train));
  }
}

TEST_F(RenderSpec, NamesThatYamlWouldTakeForSomethingElseSurvive) {
  const RunSpec spec = good(
      "environment: {set: {'null': a, 'NULL': b, 'on': c, _x: d}}\nslurm: {options: {'null': ''}}\ncommand: "
      "[prog]\n");
  EXPECT_EQ(reloaded(spec), spec);
}

TEST_F(RenderSpec, TheNameOfTheFileMayHoldAnything) {
  for (const char* file :
       {"latin-\xE9.yaml", "nel-\xC2\x85.yaml", "reordered-\xE2\x80\xAE.yaml", "tab-\t.yaml"}) {
    write(std::string("project/") + file, "name: x\ncommand: [prog]\n");
    const auto spec = load_run_spec({.file = file,
                                     .arguments = {},
                                     .environment = {},
                                     .current_folder = root_ / "project",
                                     .installed_folder = {}});
    ASSERT_TRUE(spec) << file;
    EXPECT_EQ(reloaded(*spec), *spec);
  }
}

TEST_F(RenderSpec, ASpecDiffersByItsValuesNotByItsOrigins) {
  const RunSpec spec = good(kEverything);
  RunSpec other = spec;
  other.origins = {};
  EXPECT_EQ(other, spec);
  other.resources.nodes = 3;
  EXPECT_NE(other, spec);
}

TEST_F(RenderSpec, IsInCanonicalOrderWithOrigins) {
  const RunSpec spec = good("command: [python, train.py]\nresources: {cpus_per_task: 2}\n", {"name=demo"});
  RunSpec shown = spec;
  shown.run_root = "/runs";
  EXPECT_EQ(render_spec(shown),
            "name: demo                                        # command line\n"
            "launcher: local                                   # default\n"
            "run_root: /runs                                   # default\n"
            "resources:\n"
            "  nodes: 1                                        # default\n"
            "  tasks_per_node: 1                               # default\n"
            "  gpus_per_node: 0                                # default\n"
            "  cpus_per_task: 2                                # run.yaml:2\n"
            "slurm:\n"
            "  mpi: none                                       # default\n"
            "ssh:\n"
            "  stage: shared                                   # default\n"
            "  fetch_checkpoints: false                        # default\n"
            "  connect_timeout: 10s                            # default\n"
            "environment:\n"
            "  inherit: true                                   # default\n"
            "  snapshot: false                                 # default\n"
            "  record_diff: false                              # default\n"
            "rendezvous:\n"
            "  backend: auto                                   # default\n"
            "  interface: auto                                 # default\n"
            "  timeout: 5m                                     # default\n"
            "  shared_memory: true                             # default\n"
            "fault_tolerance:\n"
            "  requeue: false                                  # default\n"
            "  signal: auto                                    # default\n"
            "  signal_lead: 2m                                 # default\n"
            "  grace_period: 30s                               # default\n"
            "  exit_timeout: 10m                               # default\n"
            "  hang_timeout: auto                              # default\n"
            "command: [python, train.py]                       # run.yaml:1\n");
}

TEST_F(RenderSpec, RowsAreTheSameAsDottedPaths) {
  const auto rows = explain_spec(good(kEverything, {"train.seed=9"}));
  const auto row = [&](const std::string& key) {
    const auto found = std::ranges::find(rows, key, &SpecRow::key);
    return found == rows.end() ? std::string("none") : found->value + " from " + found->origin;
  };
  EXPECT_EQ(row("train.seed"), "9 from command line");
  EXPECT_EQ(row("train.optimizer.dampening"), "0 from default");
  EXPECT_EQ(row("train.optimizer.learning_rate"), "0.0001 from run.yaml:20");
  EXPECT_EQ(row("train.model.hidden_dims"), "[8, 4] from run.yaml:18");
  EXPECT_EQ(row("environment.set.K"), "\"v: w\" from run.yaml:8");
  EXPECT_EQ(row("train.data.batch_size"), "none");
}

TEST_F(RenderSpec, ARenderedSpecHoldsNoSecretsValue) {
  write("project/run.yaml", "environment: {secrets: [TOKEN]}\ncommand: [prog]\n");
  const auto spec = load_run_spec({.file = "run.yaml",
                                   .arguments = {},
                                   .environment = EnvMap().set("TOKEN", "s3cret"),
                                   .current_folder = root_ / "project",
                                   .installed_folder = {}});
  ASSERT_TRUE(spec);
  EXPECT_EQ(render_spec(*spec).find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace ddp::cli
