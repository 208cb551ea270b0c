"""How long a checkpoint stops the training. ddpsubmit writes checkpoints in the background; the baselines are `torch.save` on rank 0 and
`torch.distributed.checkpoint.async_save`.

Two ranks train a wide mlp with Adam. The state (parameters and two moments) has 70 MB. A checkpoint is written every few steps, and the stall of a
run is the median over its checkpoints. ddpsubmit copies the state during the next forward and backward passes, so that the copy is not part of the
stall. The row with memcpy shows, for scale, how long a copy of as many bytes takes if the training waits for it. The same CPUs write the checkpoint
and train. The last rows therefore show the total cost: the time of all steps and stalls from the first checkpoint to the last.
"""

import ctypes
import json
import mmap
import statistics
import time

from harness.bench import PYTHON_SIDE, column, in_turns
from harness.our_run import metrics, newest_run, on_this_machine, write_config
from harness.rows import Comparison, Goal

WIDTH = 2048
BATCH_SIZE = 8
EVERY = 5  # steps
CHECKPOINTS = 4
STEPS = EVERY * CHECKPOINTS + EVERY // 2  # some more, so that the last one is written beside the training, too
OURS = "ddptrain"
SAVE = "torch.save on rank 0"
ASYNC_SAVE = "torch async_save"
MEMCPY = "memcpy of the same bytes"


def measure(bench):
    config = write_config(bench.folder, "checkpoint", resources=on_this_machine(2), train={
        "max_steps": STEPS, "model": {"name": "mlp", "hidden_dims": [WIDTH, WIDTH]}, "optimizer": {"name": "adam", "learning_rate": 0.0001},
        "data": {"name": "synthetic", "samples": 4000, "features": 784, "num_classes": 10, "batch_size": BATCH_SIZE},
        "checkpoint": {"every_steps": EVERY, "keep": 1}, "evaluate": {"every_epochs": 0}, "log": {"every_steps": EVERY}})
    state = {}

    def ours(_turn):
        bench.run(bench.ddpsubmit, "run", config)
        run = newest_run(bench.folder)
        beside = [record for record in metrics(run, "checkpoint") if record["step"] < STEPS]
        state["bytes"] = beside[0]["bytes"]
        stalls = [record["stall_ms"] for record in beside]
        steps = beside[-1]["trained_ms"] - beside[0]["trained_ms"]
        return {"stall": statistics.median(stalls), "run": (steps + sum(stalls[1:])) / 1000}

    def theirs(how):
        def train(turn):
            folder = bench.folder / f"{how}-{turn}"
            folder.mkdir()
            said = bench.python_ranks(2, PYTHON_SIDE / "checkpoint_peer.py", "--how", how, "--folder", folder, "--width", WIDTH,
                                      "--batch-size", BATCH_SIZE, "--every", EVERY, "--checkpoints", CHECKPOINTS)
            return json.loads(said.splitlines()[-1])

        return train

    def memcpy(_turn):
        copies = Copies(state["bytes"])
        return statistics.median(copies.milliseconds() for _ in range(15))

    taken = in_turns(bench, {OURS: ours, SAVE: theirs("save"), ASYNC_SAVE: theirs("async_save"), MEMCPY: memcpy})
    stall, run = f"training stall per checkpoint of {state['bytes'] / 1e6:.0f} MB, 2 ranks", f"{EVERY * (CHECKPOINTS - 1)} steps with {CHECKPOINTS - 1} checkpoints, 2 ranks"
    mine = column(taken[OURS], "stall")
    return [Comparison(stall, "ms", mine, SAVE, column(taken[SAVE], "stall"), ratio="share", goal=Goal("share", 0.1)),
            Comparison(stall, "ms", mine, ASYNC_SAVE, column(taken[ASYNC_SAVE], "stall"), ratio="share", headline=True),
            Comparison(stall, "ms", mine, MEMCPY, taken[MEMCPY], ratio="share"),
            *(Comparison(run, "s", column(taken[OURS], "run"), peer, column(taken[peer], "run")) for peer in (SAVE, ASYNC_SAVE))]


class Copies:
    """Two pieces of memory that are there."""

    def __init__(self, size):
        self.size = size
        self.maps = [mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) for _ in range(2)]
        self.to, self.source = (ctypes.addressof(ctypes.c_char.from_buffer(each)) for each in self.maps)
        for address in (self.to, self.source):
            ctypes.memset(address, 1, size)

    def milliseconds(self):
        began = time.perf_counter()
        ctypes.memmove(self.to, self.source, self.size)
        return (time.perf_counter() - began) * 1000
