"""Training speed of three strategies, in samples per second: ddp, compared with parameter_server and data_parallel. The section about FSDP has fsdp.

All three use the same number of CPUs: ddp and parameter_server with one rank per CPU, data_parallel with one process and one replica per CPU.
The small mlp needs little computation per exchange of gradients, the wide mlp has many bytes of parameters per sample, and the convnet needs much
computation per byte.
"""

import os

from fashion_mnist import write_fashion_mnist
from harness.bench import in_turns
from harness.our_run import newest_run, on_this_machine, samples_per_second, write_config
from harness.rows import Comparison

STRATEGIES = ["ddp", "parameter_server", "data_parallel"]
BATCH_SIZE = 32  # of a shard
# Of each model, with the bytes of its parameters: `train.model`, the steps of a run, and those of them that are not timed.
MODELS = {
    "mlp, 0.4 MB": ({"name": "mlp", "hidden_dims": [128]}, 1100, 100),
    "convnet, 4.8 MB": ({"name": "convnet"}, 50, 10),
    "mlp, 23 MB": ({"name": "mlp", "hidden_dims": [2048, 2048]}, 60, 20),
}


def shards(strategy, cpus):
    """What a configuration says to compute with so many CPUs."""
    if strategy == "data_parallel":
        return {"tasks_per_node": 1, "cpus_per_task": cpus}, {"strategy": strategy, "data_parallel": {"replicas": cpus}}
    return on_this_machine(cpus), {"strategy": strategy}


def measure(bench):
    raw = write_fashion_mnist(bench.folder)
    cpus = min(os.cpu_count(), 8)
    taken = in_turns(bench, {(name, strategy): side(bench, raw, name, strategy, cpus) for name in MODELS for strategy in STRATEGIES})
    return [Comparison(f"strategy ddp, {name}, {cpus} shards of {BATCH_SIZE} samples", "samples/s", taken[name, "ddp"], other, taken[name, other], better="more")
            for name in MODELS for other in STRATEGIES[1:]]


def side(bench, raw, name, strategy, cpus):
    model, steps, warm_up = MODELS[name]
    resources, choice = shards(strategy, cpus)
    home = bench.folder / f"{name} {strategy}"
    config = write_config(home, "strategy", resources=resources, train={
        **choice, "seed": 42, "max_steps": steps, "model": model, "optimizer": {"name": "sgd", "learning_rate": 0.01},
        "data": {"name": "fashion_mnist", "root": str(raw), "batch_size": BATCH_SIZE},
        "log": {"every_steps": warm_up}, "evaluate": {"every_epochs": 0}})

    def train(_turn):
        bench.run(bench.ddpsubmit, "run", config)
        return samples_per_second(newest_run(home), warm_up)

    return train
