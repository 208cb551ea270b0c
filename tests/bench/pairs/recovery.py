"""The cost of a rank that is killed with kill -9: `ddpsubmit run`, compared with `torchrun --max-restarts`.

In each turn, a random one of four ranks is killed at a random step. Two times are measured from there: until the last of the other ranks has ended,
and until the end of the first step of the restarted training. Model, data, batch size and checkpoint interval are the same, and each rank has one
thread. The training under ddpsubmit must end with the same parameters as an undisturbed run, byte for byte. torchrun is allowed three restarts. All
of them can fail, because ranks try to connect to the addresses of dead ranks.
"""

import random
import sys
import tempfile
from pathlib import Path

from fashion_mnist import write_fashion_mnist
from harness.bench import column, in_turns, wait_for
from harness.killed_rank import LOOK_PAUSE, kill_one, torchrun_turn, write_images
from harness.our_run import events, fashion_mnist, metrics, on_this_machine, seconds_of, train_section, write_config
from harness.rows import Comparison, Goal

OURS = "ddpsubmit run"
PEER = "torchrun --max-restarts"
RANKS = 4
BATCH_SIZE = 64
CHECKPOINT_EVERY = 50  # steps
FIRST, LAST = 60, 150  # the step after which a rank is killed
STEPS = 1_500
PATIENCE = 30  # seconds for a step after the kill


def measure(bench):
    raw = write_fashion_mnist(bench.folder)
    write_images(bench, raw)
    undisturbed = OurRun(bench, raw).finish()
    random.seed(42)
    steps = [random.randint(FIRST, LAST) for _ in range(bench.turns + 1)]
    taken = in_turns(bench, {OURS: lambda turn: our_turn(bench, raw, steps[turn], undisturbed),
                             PEER: lambda turn: torchrun_turn(bench, RANKS, steps[turn], PATIENCE, BATCH_SIZE, CHECKPOINT_EVERY)})
    mine, theirs = taken[OURS], taken[PEER]
    return [Comparison(f"from kill -9 of one of {RANKS} ranks to the end of the next step", "s", column(mine, "next step"), PEER, column(theirs, "next step"),
                       goal=Goal("below", 1.0), headline=True, patience=PATIENCE),
            Comparison(f"from kill -9 of one of {RANKS} ranks to the end of the others", "s", column(mine, "gone"), PEER, column(theirs, "gone"), patience=PATIENCE)]


class OurRun:
    """A training in the background."""

    def __init__(self, bench, raw):
        self.bench = bench
        config = write_config(Path(tempfile.mkdtemp(dir=bench.folder)), "recovery", resources=on_this_machine(RANKS),
                              fault_tolerance={"max_restarts": 3},
                              train=train_section("mlp", fashion_mnist(raw, BATCH_SIZE), STEPS, checkpoint={"every_steps": CHECKPOINT_EVERY}, log={"every_steps": 1}))
        self.id = bench.run(bench.ddpsubmit, "run", config, "--detach").stdout
        self.folder = config.parent / "runs" / self.id

    def steps(self, attempt):
        return [record for record in metrics(self.folder) if record["attempt"] == attempt and record["kind"] in ("train", "first_step")]

    def has_reached(self, step):
        records = self.steps(0)
        return records and records[-1]["step"] >= step

    def ranks(self):
        return [event["pid"] for event in events(self.folder, "rank_started")]

    def finish(self):
        """Its last parameters."""
        self.bench.run(self.bench.ddpsubmit, "wait", self.id)
        checkpoints = self.folder / "checkpoints"
        return (checkpoints / (checkpoints / "LATEST").read_text().strip() / "model.safetensors").read_bytes()


def our_turn(bench, raw, step, undisturbed):
    run = OurRun(bench, raw)
    wait_for(lambda: run.has_reached(step), pause=LOOK_PAUSE)
    killed, gone = kill_one(run.ranks(), PATIENCE)
    wait_for(lambda: run.steps(1), PATIENCE, LOOK_PAUSE)
    if run.finish() != undisturbed:
        sys.exit(f"{run.folder} has not ended with the parameters of an undisturbed run")
    after = run.steps(1)
    return {"gone": gone, "next step": seconds_of(after[0]) - killed if after else None}
