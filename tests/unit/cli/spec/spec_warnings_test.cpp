#include "cli/spec/spec_warnings.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "cli/launchers/ssh/keys/ssh_options.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace ddp::cli {
namespace {

RunSpec make_requeued_command() {
  RunSpec spec;
  spec.launcher = find_launcher("slurm");
  spec.command = {"python3", "train.py"};
  spec.fault_tolerance.requeue = true;
  return spec;
}

TEST(AdviseOnSpec, ARequeuedCommandWithoutASignalMayEndAtItsTimeLimit) {
  EXPECT_TRUE(warn_of_spec(make_requeued_command()).empty());
  const auto advice = advise_on_spec(make_requeued_command());
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_NE(advice[0].find("only if the program calls should_stop()"), std::string::npos);
  EXPECT_NE(advice[0].find(" 2m before"), std::string::npos);
}

TEST(AdviseOnSpec, NothingIsSaidOfWhatWasDecided) {
  for (const auto* signal : {"none", "USR1", "USR2"}) {
    auto spec = make_requeued_command();
    spec.fault_tolerance.signal = signal;
    EXPECT_TRUE(advise_on_spec(spec).empty()) << signal;
  }
}

TEST(AdviseOnSpec, NothingIsSaidWhereNothingIsRequeued) {
  auto spec = make_requeued_command();
  spec.fault_tolerance.requeue = false;
  EXPECT_TRUE(advise_on_spec(spec).empty());
  spec = make_requeued_command();
  spec.launcher = find_launcher("local");
  EXPECT_TRUE(advise_on_spec(spec).empty());
  spec = make_requeued_command();
  spec.train.emplace();  // its signal is USR2 by itself
  spec.train->checkpoint.every_steps = 100;
  EXPECT_TRUE(advise_on_spec(spec).empty());
}

TEST(WarnOfSpec, AFolderForPushedProgramsIsOfNoUseWhereNothingIsPushed) {
  RunSpec spec;
  spec.launcher = find_launcher("ssh");
  options_of<SshOptions>(spec).hosts.emplace_back().host = "node1";
  options_of<SshOptions>(spec).push_folder = "/scratch/me";
  EXPECT_EQ(warn_of_spec(spec), std::vector<std::string>{"ssh.push_folder is not used: ssh.stage is shared"});
  options_of<SshOptions>(spec).stage = Stage::push;
  EXPECT_TRUE(warn_of_spec(spec).empty());
}

TEST(WarnOfSpec, RanksThatShareGpusAreToldBecauseNcclRefusesThem) {
  const auto spec = std::make_unique<RunSpec>();
  spec->command = {"python3", "train.py"};
  spec->resources.tasks_per_node = 4;
  EXPECT_TRUE(warn_of_spec(*spec).empty());
  spec->resources.gpus_per_node = 2;
  EXPECT_EQ(warn_of_spec(*spec),
            std::vector<std::string>{
                "4 ranks per node share 2 GPUs, but NCCL refuses two ranks on one GPU; set "
                "resources.tasks_per_node: 2, one rank for each GPU, or resources.gpus_per_node: 4"});
  spec->resources.gpus_per_node = 4;
  EXPECT_TRUE(warn_of_spec(*spec).empty());
  spec->resources.gpus_per_node = 2;
  spec->command.clear();
  spec->train = trainer::TrainConfig{};
  EXPECT_EQ(warn_of_spec(*spec).size(), 1u);
  spec->train->device = trainer::Device::cpu;
  EXPECT_TRUE(warn_of_spec(*spec).empty());
}

TEST(WarnOfSpec, GpusThatAShardedTrainingDoesNotUseAreTold) {
  const auto spec = std::make_unique<RunSpec>();
  spec->train = trainer::TrainConfig{};
  spec->train->model.name = "resnet18";
  spec->resources.gpus_per_node = 2;
  EXPECT_TRUE(warn_of_spec(*spec).empty());
  spec->train->strategy = trainer::with_defaults(trainer::bundled_schemas().strategies, "fsdp");
  spec->resources.tasks_per_node = 4;
  EXPECT_EQ(warn_of_spec(*spec),
            std::vector<std::string>{
                "resources.gpus_per_node is 2, but strategy fsdp runs on CPUs only in this version: the GPUs "
                "are reserved and not used; remove resources.gpus_per_node, or use strategy: ddp"});
  spec->train->device = trainer::Device::cpu;
  EXPECT_TRUE(warn_of_spec(*spec).empty());
}

TEST(WarnOfSpec, GroupsOfHsdpThatChangeNothingAreTold) {
  const auto spec = std::make_unique<RunSpec>();
  spec->train = trainer::TrainConfig{};
  spec->train->model.name = "resnet18";
  spec->train->strategy = trainer::with_defaults(trainer::bundled_schemas().strategies, "hsdp");
  const auto warnings = [&](int nodes, int tasks, std::int64_t shard) {
    spec->resources.nodes = nodes;
    spec->resources.tasks_per_node = tasks;
    spec->train->strategy.options.at("shard") = shard;
    return warn_of_spec(*spec);
  };
  const std::vector<std::string> one_group = {
      "all 4 ranks are in one group, so strategy hsdp does what fsdp does; set strategy: fsdp, or a smaller "
      "train.hsdp.shard"};
  const std::vector<std::string> one_rank = {
      "each group of strategy hsdp has one rank, so nothing is divided: every rank holds all parameters, "
      "gradients and optimizer state; set train.hsdp.shard to 2 or more, or use strategy: ddp"};
  EXPECT_EQ(warnings(1, 4, 0), one_group);
  EXPECT_EQ(warnings(2, 2, 4), one_group);
  EXPECT_EQ(warnings(1, 4, 1), one_rank);
  EXPECT_EQ(warnings(4, 1, 0), one_rank);
  for (const auto& [nodes, tasks, shard] : {std::tuple{2, 2, 0}, {1, 4, 2}, {1, 1, 0}, {1, 1, 1}})
    EXPECT_TRUE(warnings(nodes, tasks, shard).empty()) << nodes << " x " << tasks << ", " << shard;
}

TEST(WarnOfSpec, AShardedModelWithoutBlocksIsTold) {
  const auto spec = std::make_unique<RunSpec>();
  spec->train = trainer::TrainConfig{};
  spec->resources.nodes = 2;
  spec->resources.tasks_per_node = 2;
  spec->train->model.name = "mlp";
  EXPECT_TRUE(warn_of_spec(*spec).empty());
  for (const char* strategy : {"fsdp", "hsdp"}) {
    spec->train->strategy = trainer::with_defaults(trainer::bundled_schemas().strategies, strategy);
    for (const char* model : {"mlp", "convnet"}) {
      spec->train->model.name = model;
      EXPECT_EQ(warn_of_spec(*spec),
                std::vector<std::string>{
                    "the model '" + std::string(model) + "' has no blocks, so strategy " + strategy +
                    " saves little: every rank holds all parameters and gradients during forward and "
                    "backward; use a model with blocks, such as resnet18 or one of your own "
                    "(docs/sharding.md), or strategy: ddp with ddp.shard_optimizer: true"});
    }
    for (const char* model : {"resnet18", "resnet34", "resnet50", "model_of_another_program"}) {
      spec->train->model.name = model;
      EXPECT_TRUE(warn_of_spec(*spec).empty()) << model;
    }
  }
  spec->train->model.name = "mlp";
  spec->resources.nodes = 1;
  spec->resources.tasks_per_node = 1;
  EXPECT_TRUE(warn_of_spec(*spec).empty());
}

TEST(WarnOfSpec, MpiOfSrunForATrainingWithoutMpiIsTold) {
  RunSpec spec;
  spec.launcher = find_launcher("slurm");
  spec.train.emplace();
  options_of<SlurmOptions>(spec).mpi = "pmix";
  const auto told = [&] {
    const auto warnings = warn_of_spec(spec);
    return std::ranges::count_if(warnings, [](const std::string& warning) {
      return warning ==
             "slurm.mpi has no effect: the training does not use MPI; set rendezvous.backend: mpi, or remove "
             "it";
    });
  };
  EXPECT_EQ(told(), 1);
  spec.rendezvous.backend = "mpi";
  EXPECT_EQ(told(), 0);
  spec.rendezvous.backend = "auto";
  spec.train.reset();
  EXPECT_EQ(told(), 0);
}

TEST(WarnOfSpec, GresThatReplacesTheGpusIsTold) {
  RunSpec spec;
  spec.launcher = find_launcher("slurm");
  spec.command = {"prog"};
  spec.resources.gpus_per_node = 4;
  auto& gres = options_of<SlurmOptions>(spec).gres;
  const auto warning = [&] { return warn_of_spec(spec).empty() ? "none" : warn_of_spec(spec).front(); };
  gres = "lustre:1";
  EXPECT_EQ(warning(),
            "slurm.gres replaces resources.gpus_per_node, so the job gets no GPUs; set slurm.gres: "
            "lustre:1,gpu:4, or "
            "remove it");
  gres = "gpu:a40:2";
  EXPECT_EQ(warning(),
            "slurm.gres replaces resources.gpus_per_node: the job gets 2 GPUs per node, not 4; set both to "
            "the same "
            "number, or remove one of them");
  for (const char* same :
       {"gpu:4", "lustre:1,gpu:a40:4", "gpu:2,gpu:a40:2", "gpu:4(S:0-1)", "shard:4", "mps:50"}) {
    gres = same;
    EXPECT_EQ(warning(), "none") << same;
  }
  gres = "gpu";
  spec.resources.gpus_per_node = 0;
  EXPECT_EQ(warning(), "none");
}

TEST(WarnOfSpec, OptionsOfSlurmWithATypoAreTold) {
  RunSpec spec;
  spec.launcher = find_launcher("slurm");
  spec.command = {"prog"};
  const auto warning = [&](const std::string& name) {
    options_of<SlurmOptions>(spec).options = {{name, "x"}};
    return warn_of_spec(spec).empty() ? "none" : warn_of_spec(spec).front();
  };
  EXPECT_EQ(warning("licenses"), "none");
  EXPECT_EQ(warning("lisences"),
            "slurm.options.lisences: sbatch's manual has no option '--lisences'; did you mean 'licenses'?");
  EXPECT_EQ(warning("partitoin"),
            "slurm.options.partitoin: sbatch's manual has no option '--partitoin'; did you mean 'partition'? "
            "It has a "
            "key of its own: use slurm.partition");
  for (const char* of_plugin : {"container-image", "container-mounts", "levitation"})
    EXPECT_EQ(warning(of_plugin), "none") << of_plugin;
}

TEST(WarnOfSpec, ARequeuedTrainingWithoutCheckpointsMayLoseAllSteps) {
  const auto spec = std::make_unique<RunSpec>();
  spec->train = trainer::TrainConfig{};
  EXPECT_TRUE(warn_of_spec(*spec).empty());
  spec->fault_tolerance.requeue = true;
  ASSERT_EQ(warn_of_spec(*spec).size(), 1u);
  EXPECT_NE(warn_of_spec(*spec)[0].find("train.checkpoint.every"), std::string::npos);
  spec->train->checkpoint.every_epochs = 1;
  EXPECT_TRUE(warn_of_spec(*spec).empty());
}

}  // namespace
}  // namespace ddp::cli
