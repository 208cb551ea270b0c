"""Training speed on one GPU, in samples per second: ddptrain with NCCL and world size 1. The baselines are Python's DistributedDataParallel, with and
without `torch.compile`.

Both sides use the same model, data, batch size, seed and optimizer, and loaders with four workers. The first steps of each training are not timed;
compilation is among them.
"""

from fashion_mnist import write_fashion_mnist
from harness.bench import PYTHON_SIDE, in_turns
from harness.cifar10 import write_cifar10
from harness.our_run import newest_run, samples_per_second, train_section, write_config
from harness.rows import Comparison

OURS = "ddptrain"
PEER = "Python DDP"
COMPILED = "torch.compile"
WORKERS = 4
TURNS = 3
# Of each model: `train.model`, its data, samples of a batch, steps, and those of them that are not timed.
TRAININGS = {
    "mlp": ({"name": "mlp"}, "fashion_mnist", 256, 1500, 300),
    "convnet": ({"name": "convnet"}, "fashion_mnist", 256, 600, 100),
    "resnet18": ({"name": "resnet18", "num_classes": 10, "stem": "cifar"}, "cifar10", 128, 200, 50),
}


def measure(bench):
    roots = {"fashion_mnist": write_fashion_mnist(bench.folder), "cifar10": write_cifar10(bench.folder)}
    sides = {}
    for name in TRAININGS:
        sides[name, OURS] = ours(bench, roots, name)
        sides[name, PEER] = theirs(bench, name, "no")
        sides[name, COMPILED] = theirs(bench, name, "yes")
    taken = in_turns(bench, sides, min(bench.turns, TURNS), warm_up=[])
    return [Comparison(f"{name}, one GPU, NCCL", "samples/s", taken[name, OURS], peer, taken[name, peer], better="more") for name in TRAININGS
            for peer in (PEER, COMPILED)]


def ours(bench, roots, name):
    model, data, batch_size, steps, warm_up = TRAININGS[name]
    home = bench.folder / name
    config = write_config(home, "gpu", resources={"tasks_per_node": 1, "cpus_per_task": WORKERS + 1}, train=train_section(
        model, {"name": data, "root": str(roots[data]), "batch_size": batch_size, "workers": WORKERS}, steps, device="cuda", log={"every_steps": warm_up}))

    def train(_turn):
        bench.run(bench.ddpsubmit, "run", config)
        return samples_per_second(newest_run(home), warm_up)

    return train


def theirs(bench, name, compiled):
    model, data, batch_size, steps, warm_up = TRAININGS[name]
    return lambda _turn: float(bench.python_ranks(
        1, PYTHON_SIDE / "train_peer.py", "--root", bench.folder, "--dataset", data, "--model", model["name"], "--batch-size", batch_size,
        "--workers", WORKERS, "--device", "cuda", "--compile", compiled, "--warm-up", warm_up, "--steps", steps))
