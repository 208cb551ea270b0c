"""How well the communication overlaps with the computation: a training step of convnet on two nodes, over a link of 100 Mbit/s and of 1 Gbit/s. The
baselines are Python DDP and the lower bound for a step over this link.

The nodes are network namespaces (tests/rig/ssh_rig), and `tc tbf` limits the rate of their links. The lower bound is max(compute, forward +
communication + optimizer): gradients can be sent from the moment when backward has computed the first one, so that only the communication that does
not overlap with backward adds to the step. The parts of the bound are measured separately, so that a step can be a few percent faster than its bound.
Communication is the time that plain TCP needs to send as many bytes as the gradients have, in both directions at once, over the same link in the same
turn. Two ranks have to send each other at least that much. Compute, forward and optimizer are measured for each side without communication, while
both CPUs compute (ddptrain: two runs of one rank side by side; Python: under no_sync).
"""

import json
import subprocess
import time

from fashion_mnist import write_fashion_mnist
from harness.bench import PYTHON_SIDE, finish, in_turns
from harness.our_run import fashion_mnist, metrics, newest_run, on_this_machine, train_section, write_config
from harness.rows import Comparison, Goal

RIG = ["tests/rig/ssh_rig", "with", "--hosts", "2", "--"]
OURS = "ddptrain"
PEER = "Python DDP"
BOUND = "lower bound of the link"
NODES = ["node1", "node2"]
GRADIENT_BYTES = 4 * (32 * 9 + 32 + 64 * 32 * 9 + 64 + 9216 * 128 + 128 + 128 * 10 + 10)  # of convnet, float32
BATCH_SIZE = 64
# Of each rate for tc: its name, the steps of a run, and those of them that are not timed.
RATES = {"100mbit": ("100 Mbit/s", 9, 3), "1gbit": ("1 Gbit/s", 24, 6)}
ALONE_STEPS, ALONE_WARM_UP = 12, 4
MISSED = ("the bound assumes that communication begins together with backward and needs no CPU time. In fact the first bucket is full only after 7 ms of backward. When all "
          "CPUs compute, the traffic also takes CPU time from the ranks: about 10 ms per step on two CPUs at 1 Gbit/s (TCP and rate limiting in the kernel, the thread of Gloo).")
PORT = 29_611  # of namespaces in which nobody else listens


def measure(bench):
    raw = write_fashion_mnist(bench.folder)
    sides = {("alone", OURS): our_parts(bench, raw)}
    for rate in RATES:
        sides[rate, "TCP"] = exchange(bench, rate)
        sides[rate, OURS] = our_step(bench, raw, rate)
        sides[rate, PEER] = their_step(bench, rate)
    taken = in_turns(bench, sides)
    rows = []
    for rate, (name, _, _) in RATES.items():
        what = f"training step of convnet, 2 nodes, {name}"
        mine = [step["step"] for step in taken[rate, OURS]]
        theirs = [step["step"] for step in taken[rate, PEER]]
        our_bound = [bound(parts, tcp) for parts, tcp in zip(taken["alone", OURS], taken[rate, "TCP"])]
        their_bound = [bound(step, tcp) for step, tcp in zip(taken[rate, PEER], taken[rate, "TCP"])]
        shown = rate == list(RATES)[-1]
        rows += [Comparison(what, "ms", mine, BOUND, our_bound, ratio="share", goal=Goal("share", 1.1, MISSED), headline=shown),
                 Comparison(what, "ms", mine, PEER, theirs, ratio="share", goal=Goal("share", 1.0), headline=shown),
                 Comparison(f"the same step with Python DDP in place of ddpsubmit, 2 nodes, {name}", "ms", theirs, BOUND, their_bound, ratio="share")]
    return rows


def bound(parts, communication):
    return max(parts["compute"], parts["forward"] + communication + parts["update"])


def shape(rate):
    """What leaves each node."""
    for node in NODES:
        subprocess.run(["ip", "netns", "exec", node, "tc", "qdisc", "replace", "dev", "eth0", "root", "tbf",
                        "rate", rate, "burst", "128kb", "latency", "100ms"], check=True)


def convnet(raw, steps, warm_up):
    return train_section("convnet", fashion_mnist(raw, BATCH_SIZE), steps, log={"every_steps": warm_up})


def our_parts(bench, raw):
    """Of one rank alone, while another one of its own run computes beside it, as the other node does on this machine."""
    configs = [write_config(bench.folder / f"alone-{k}", "alone", resources=on_this_machine(1),
                            train=convnet(raw, ALONE_STEPS, ALONE_WARM_UP)) for k in range(2)]

    def run(_turn):
        finish([bench.start(bench.ddpsubmit, "run", config, stdout=subprocess.PIPE) for config in configs])
        record = metrics(newest_run(configs[0].parent), "train")[-1]
        return {"compute": record["step_ms_p50"], "forward": record["forward_ms"], "update": record["update_ms"]}

    return run


def our_step(bench, raw, rate):
    _, steps, warm_up = RATES[rate]
    config = write_config(bench.folder / rate, "link", "ssh", resources={"nodes": 2, **on_this_machine(1)}, ssh={"hosts": NODES},
                          train=convnet(raw, steps, warm_up))

    def run(_turn):
        shape(rate)
        bench.run(bench.ddpsubmit, "run", config)
        records = metrics(newest_run(config.parent), "train")[1:]
        return {"step": 1000 * sum(record["samples"] / record["samples_per_second"] for record in records) / (steps - warm_up)}

    return run


def in_each_node(bench, *arguments):
    """Starts a program in each node, waits for both, and returns what the first one's printed."""
    return finish([bench.start("ip", "netns", "exec", node, *arguments, stdout=subprocess.PIPE, RANK=str(rank), LOCAL_RANK="0", WORLD_SIZE="2",
                               MASTER_ADDR="10.77.0.1", MASTER_PORT=str(PORT), GLOO_SOCKET_IFNAME="eth0") for rank, node in enumerate(NODES)])


def their_step(bench, rate):
    _, steps, warm_up = RATES[rate]

    def run(_turn):
        shape(rate)
        return json.loads(in_each_node(
            bench, bench.python, PYTHON_SIDE / "link_peer.py", "--data", bench.folder, "--batch-size", BATCH_SIZE, "--steps", steps, "--warm-up", warm_up,
            "--alone-steps", ALONE_STEPS, "--alone-warm-up", ALONE_WARM_UP))

    return run


def exchange(bench, rate):
    """Milliseconds in which the bytes of the gradients have gone both ways."""

    def run(_turn):
        shape(rate)
        time.sleep(0.2)  # the bucket is full again
        return float(in_each_node(bench, "python3", PYTHON_SIDE / "exchange.py", GRADIENT_BYTES))

    return run
