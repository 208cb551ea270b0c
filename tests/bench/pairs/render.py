"""The time of the whole command `ddpsubmit render` for runs of 1, 100 and 10,000 nodes: read, merge and check the file, and write the sbatch script.

The nodes are given by name, because nothing else in the script grows with their number.
"""

import json

from harness.bench import REPOSITORY, in_turns
from harness.rows import Goal, Growth

NODES = [1, 100, 10_000]
RENDERS = 40  # a turn


def measure(bench):
    def render(nodes):
        include = bench.folder / f"{nodes}.yaml"
        names = ",".join(f"node{i:05}" for i in range(1, nodes + 1))
        include.write_text(json.dumps({"resources": {"nodes": nodes}, "slurm": {"nodelist": names}}))
        argv = [bench.ddpsubmit, "render", REPOSITORY / "configs/fashion_mnist_mlp.yaml", "launcher=slurm", f"+include={include.name}"]
        return lambda _turn: 1000 * sum(bench.run(*argv).seconds for _ in range(RENDERS)) / RENDERS

    taken = in_turns(bench, {f"{nodes} nodes": render(nodes) for nodes in NODES})
    return [Growth("time of the command `ddpsubmit render`", "ms", "nodes", [(nodes, taken[f"{nodes} nodes"]) for nodes in NODES], Goal("doubling", 2))]
