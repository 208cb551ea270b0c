"""What a kill -9 costs: `ddpsubmit run` against `torchrun --max-restarts`.

In each turn a random one of four ranks is killed at a random step. Timed are the moment in which the last of the other ranks is gone, and the end of
the first step after it. Same model, data, batch size and interval of checkpoints, one thread a rank. Ours has to end with the parameters of an
undisturbed run, byte for byte.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from fashion_mnist import write_fashion_mnist
from harness.bench import PYTHON_SIDE, column, in_turns, wait_for
from harness.our_run import events, fashion_mnist, metrics, on_this_machine, seconds_of, train_section, write_config
from harness.processes import processes_about
from harness.rows import Comparison, Goal

OURS = "ddpsubmit run"
PEER = "torchrun --max-restarts"
RANKS = 4
BATCH_SIZE = 64
CHECKPOINT_EVERY = 50  # steps
FIRST, LAST = 60, 150  # the step after which a rank is killed
STEPS = 1_500
PATIENCE = 6  # seconds for a step after the kill
LOOK_PAUSE = 0.05  # seconds; who looks often takes time from the ranks


def measure(bench):
    raw = write_fashion_mnist(bench.folder)
    write_images(bench, raw)
    undisturbed = OurRun(bench, raw).finish()
    random.seed(42)
    steps = [random.randint(FIRST, LAST) for _ in range(bench.turns + 1)]
    taken = in_turns(bench, {OURS: lambda turn: our_turn(bench, raw, steps[turn], undisturbed),
                             PEER: lambda turn: their_turn(bench, steps[turn])})
    mine, theirs = taken[OURS], taken[PEER]
    return [Comparison(f"kill -9 of one of {RANKS} ranks → next step done", "s", column(mine, "next step"), PEER, column(theirs, "next step"),
                       goal=Goal("below", 1.0), headline=True, patience=PATIENCE),
            Comparison(f"kill -9 of one of {RANKS} ranks → the others gone", "s", column(mine, "gone"), PEER, column(theirs, "gone"), patience=PATIENCE)]


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill_one(pids):
    """Of ranks; returns when it was, and how long the last other one has outlived it: None for longer than PATIENCE."""
    victim = random.choice(pids)
    killed = time.time()
    os.kill(victim, signal.SIGKILL)
    others = [pid for pid in pids if pid != victim]
    gone = wait_for(lambda: not any(map(is_alive, others)), PATIENCE)
    return killed, time.time() - killed if gone else None


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
    killed, gone = kill_one(run.ranks())
    wait_for(lambda: run.steps(1), PATIENCE, LOOK_PAUSE)
    if run.finish() != undisturbed:
        sys.exit(f"{run.folder} has not ended with the parameters of an undisturbed run")
    after = run.steps(1)
    return {"gone": gone, "next step": seconds_of(after[0]) - killed if after else None}


def their_turn(bench, step):
    notes = Path(tempfile.mkdtemp(dir=bench.folder))
    steps = notes / "steps"

    def noted(restart):
        return [line.split() for line in steps.read_text().splitlines() if line.startswith(f"{restart} ")] if steps.exists() else []

    argv = bench.torchrun(RANKS, PYTHON_SIDE / "recovery_peer.py", "--images", bench.folder / "images.pt", "--notes", notes,
                          "--batch-size", BATCH_SIZE, "--every", CHECKPOINT_EVERY, "--steps", 1_000_000)
    argv.insert(3, "--max-restarts=3")
    with open(notes / "said", "w") as said:
        process = subprocess.Popen([str(word) for word in argv], env=bench.environment(), stdout=said, stderr=said)
    try:
        wait_for(lambda: noted(0) and int(noted(0)[-1][1]) >= step, pause=LOOK_PAUSE)
        killed, gone = kill_one([int(file.read_text()) for file in notes.glob("pid-0-*")])
        stepped = wait_for(lambda: noted(1), killed + PATIENCE - time.time(), LOOK_PAUSE)
        return {"gone": gone, "next step": float(stepped[0][2]) - killed if stepped else None}
    finally:
        for each, _ in processes_about(notes):  # asked to end, torchrun would wait for its ranks
            with suppress(ProcessLookupError):
                os.kill(int(each.name), signal.SIGKILL)
        process.wait()


def write_images(bench, raw):
    """As tensors, for torchrun: nothing but torch is imported there."""
    code = ("import sys, torch, numpy; raw = sys.argv[1]; "
            "images = numpy.fromfile(raw + '/train-images-idx3-ubyte', dtype=numpy.uint8)[16:].reshape(-1, 784); "
            "labels = numpy.fromfile(raw + '/train-labels-idx1-ubyte', dtype=numpy.uint8)[8:]; "
            "torch.save((torch.from_numpy(images).float() / 255, torch.from_numpy(labels).long()), sys.argv[2])")
    bench.run(bench.python, "-c", code, raw, bench.folder / "images.pt")
