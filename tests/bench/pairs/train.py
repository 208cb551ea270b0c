"""Speed (samples per second) and memory of a training: ddptrain under `ddpsubmit run`, compared with Python's DistributedDataParallel.

Both sides use the same model, data, batch size, seed, optimizer and number of ranks, and one thread per rank. The loader of each side reads and
transforms images in the process of the rank. mlp and convnet train on Fashion-MNIST, resnet18 on random images in the format of CIFAR-10. The first
steps are not timed. Memory is the highest proportional set size (PSS) of a rank, averaged over the ranks. PSS divides pages that ranks share among
them.

*Python DDP* is a training as most people write it, with torchvision's transforms and a DataLoader. *Tuned* means: all images are transformed and in
memory as tensors before the training begins, a batch is one `index_select`, and Adam is fused; ddptrain still reads and transforms each image.
*Compiled* means: tuned, and the model goes through `torch.compile`; compilation is among the steps that are not timed.

What tuning saves is the loader and the many small operations of Adam. What it leaves is the interpreter, the dispatch of each operation, and a sum
of the gradients over TCP, which ddptrain does in shared memory. A larger model or batch closes this gap, because both sides spend more of a step in
the same matrix products and convolutions. More ranks on a host and a smaller model widen it.
"""

from dataclasses import dataclass

from fashion_mnist import write_fashion_mnist
from harness.bench import PYTHON_SIDE, column, in_turns
from harness.cifar10 import write_cifar10
from harness.memory import PssLooks
from harness.our_run import newest_run, on_this_machine, samples_per_second, train_section, write_config
from harness.rows import Comparison, Goal

OURS = "ddptrain"
PEER = "Python DDP"
TUNED = "Python DDP, tuned"
COMPILED = "Python DDP, compiled"
# The options of train_peer.py that make each baseline. The last two are measured on JUDGED_RANKS alone.
BASELINES = {
    PEER: [],
    TUNED: ["--in-memory", "yes", "--fused", "yes"],
    COMPILED: ["--in-memory", "yes", "--fused", "yes", "--compile", "yes"],
}
COMPILING_STEPS = 10  # are not timed, in addition to the others: the first of them compile
COMPILING_SECONDS = 600  # that the ranks may take, on a slow machine
JUDGED_RANKS = 2  # the goals are those of so many; they alone warm up, since all read the same from the disk
WRITERS = {"fashion_mnist": write_fashion_mnist, "cifar10": write_cifar10}  # of data; they return its folder


@dataclass(frozen=True)
class Training:
    model: dict  # as in `train:`
    data: str
    batch_size: int
    samples: int  # of all ranks, those of the warm-up among them
    warm_up: int  # samples that are not timed
    ranks: tuple = (1, 2, 4)
    turns: int = 7
    rate_goal: Goal | None = None
    memory_goal: Goal | None = None

    def steps(self, ranks):
        """All steps, and those that are not timed."""
        return self.samples // (self.batch_size * ranks), self.warm_up // (self.batch_size * ranks)


MLP = Training({"name": "mlp"}, "fashion_mnist", 64, 40_960, 2_560, rate_goal=Goal("speedup", 6), memory_goal=Goal("share", 0.3))
MEMORY_OF_CONVNET = ("two thirds of the memory is the heap: parameters, their moments and gradients, and above all activations, which are the same on both sides. The "
                     "rest is the pages of LibTorch.")
CONVNET = Training({"name": "convnet"}, "fashion_mnist", 64, 1_280, 256, rate_goal=Goal("speedup", 1.1), memory_goal=Goal("share", 0.3, MEMORY_OF_CONVNET))
RESNET18 = Training({"name": "resnet18", "num_classes": 10, "stem": "cifar"}, "cifar10", 32, 768, 128, ranks=(2,), turns=3,
                    rate_goal=Goal("speedup", 1.0))


# For the README.
NOTE = ("*Tuned*: all images are in memory as tensors before the training begins, and Adam is fused. *Compiled*: tuned, and the model goes through "
        "torch.compile; the compilation is not timed. A larger model or batch makes the difference to these smaller. A smaller model or more ranks on a "
        "host make it larger.")


def measure_mlp(bench):
    return measure(bench, MLP)


def measure_convnet(bench):
    return measure(bench, CONVNET)


def measure_resnet18(bench):
    return measure(bench, RESNET18)


def measure(bench, training):
    root = WRITERS[training.data](bench.folder)
    sides = {}
    for ranks in training.ranks:
        sides[OURS, ranks] = ours(bench, training, root, ranks)
        for baseline in baselines_on(ranks):
            sides[baseline, ranks] = theirs(bench, training, ranks, baseline)
    taken = in_turns(bench, sides, min(bench.turns, training.turns), warm_up=[side for side in sides if side[1] == JUDGED_RANKS])
    return [row for ranks in training.ranks for row in rows(training, ranks, taken)]


def baselines_on(ranks):
    return BASELINES if ranks == JUDGED_RANKS else [PEER]


def ours(bench, training, root, ranks):
    home = bench.folder / f"{ranks}-ranks"
    steps, warm_up = training.steps(ranks)
    config = write_config(home, "train", resources=on_this_machine(ranks), train=train_section(
        training.model, {"name": training.data, "root": str(root), "batch_size": training.batch_size}, steps, log={"every_steps": warm_up}))

    def train(_turn):
        with PssLooks(bench.folder) as pss:
            bench.run(bench.ddpsubmit, "run", config)
        return {"samples/s": samples_per_second(newest_run(home), warm_up), "MiB": pss.highest_mean()}

    return train


def theirs(bench, training, ranks, baseline):
    steps, warm_up = training.steps(ranks)
    more, longest = (COMPILING_STEPS, COMPILING_SECONDS) if baseline == COMPILED else (0, None)

    def train(_turn):
        with PssLooks(bench.folder) as pss:
            said = bench.python_ranks(ranks, PYTHON_SIDE / "train_peer.py", "--root", bench.folder, "--dataset", training.data,
                                      "--model", training.model["name"], "--batch-size", training.batch_size, *BASELINES[baseline],
                                      "--warm-up", warm_up + more, "--steps", steps + more, longest=longest)
        return {"samples/s": float(said), "MiB": pss.highest_mean()}

    return train


def rows(training, ranks, taken):
    """Of one number of ranks. Memory is compared with the first baseline alone: all images in memory are a choice of the others."""
    name, judged = training.model["name"], ranks == JUDGED_RANKS
    on = f"{ranks} rank{'s' if ranks > 1 else ''}"
    mine = taken[OURS, ranks]

    def speed(baseline):
        return Comparison(f"training of {name}, {on}", "samples/s", column(mine, "samples/s"), baseline, column(taken[baseline, ranks], "samples/s"),
                          better="more", goal=training.rate_goal if judged and baseline == PEER else None, headline=judged)

    memory = Comparison(f"memory per rank (PSS), training of {name}, {on}", "MiB", column(mine, "MiB"), PEER, column(taken[PEER, ranks], "MiB"),
                        ratio="share", goal=training.memory_goal if judged else None, headline=judged and name == "mlp")
    return [*map(speed, baselines_on(ranks)), memory]
