"""Speed of an evaluation, in samples per second: the 10,000 test images of Fashion-MNIST go through mlp and convnet on 2 ranks. The result is the
loss and accuracy over all ranks.

Each rank has one thread and reads and transforms images in its own process. Batches have 64 images. A training of one step comes before the
evaluation.
"""

from fashion_mnist import write_fashion_mnist
from harness.bench import PYTHON_SIDE, column, in_turns
from harness.our_run import fashion_mnist, metrics, newest_run, on_this_machine, train_section, write_config
from harness.rows import Comparison

MODELS = ["mlp", "convnet"]
RANKS = 2
BATCH_SIZE = 64
OURS = "ddptrain"
PEER = "Python DDP"


def measure(bench):
    raw = write_fashion_mnist(bench.folder)
    configs = {model: write_config(bench.folder, model, resources=on_this_machine(RANKS),
                                   train=train_section(model, fashion_mnist(raw, BATCH_SIZE), 1, evaluate={"every_epochs": 1})) for model in MODELS}

    def ours(_turn):
        rates = {}
        for model, config in configs.items():
            bench.run(bench.ddpsubmit, "run", config)
            rates[model] = metrics(newest_run(bench.folder), "evaluate")[0]["samples_per_second"]
        return rates

    def theirs(_turn):
        said = bench.python_ranks(RANKS, PYTHON_SIDE / "evaluate_peer.py", "--root", bench.folder, "--batch-size", BATCH_SIZE, *MODELS)
        return {name: float(rate) for name, rate in (line.split() for line in said.splitlines())}

    taken = in_turns(bench, {OURS: ours, PEER: theirs})
    return [Comparison(f"evaluation of {model}, {RANKS} ranks", "samples/s", column(taken[OURS], model), PEER, column(taken[PEER], model), better="more")
            for model in MODELS]
