"""A rank of a Python training is killed: under torchrun, or under whatever starts the same script."""

import os
import random
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from harness.bench import PYTHON_SIDE, wait_for
from harness.processes import processes_about

LOOK_PAUSE = 0.05  # seconds; who looks often takes time from the ranks
SCRIPT = PYTHON_SIDE / "recovery_peer.py"


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill_one(pids, patience):
    """Of ranks; returns when it was, and how long the last other one has outlived it: None for longer than `patience` seconds."""
    victim = random.choice(pids)
    killed = time.time()
    os.kill(victim, signal.SIGKILL)
    others = [pid for pid in pids if pid != victim]
    gone = wait_for(lambda: not any(map(is_alive, others)), patience)
    return killed, time.time() - killed if gone else None


def script_arguments(bench, notes, batch_size, every, steps=1_000_000):
    """Of SCRIPT, with the images of write_images()."""
    return ["--images", bench.folder / "images.pt", "--notes", notes, "--batch-size", batch_size, "--every", every, "--steps", steps]


def make_notes(bench):
    return Path(tempfile.mkdtemp(dir=bench.folder))


def kill_at(notes, step, patience):
    """Kills a rank once SCRIPT has come to `step`, and waits for a step of a later start; both in seconds, None for longer than `patience`.

    The next start need not come to a step: under torchrun ranks may still find the addresses of the dead ones, and fail once more.
    """
    steps = notes / "steps"

    def noted(is_wanted):
        lines = [line.split() for line in steps.read_text().splitlines()] if steps.exists() else []
        return [line for line in lines if len(line) == 3 and is_wanted(int(line[0]))]

    def first():
        return noted(lambda restart: restart == 0)

    wait_for(lambda: first() and int(first()[-1][1]) >= step, pause=LOOK_PAUSE)
    killed, gone = kill_one([int(file.read_text()) for file in notes.glob("pid-0-*")], patience)
    stepped = wait_for(lambda: noted(lambda restart: restart > 0), killed + patience - time.time(), LOOK_PAUSE)
    return {"gone": gone, "next step": float(stepped[0][2]) - killed if stepped else None}


def torchrun_turn(bench, ranks, step, patience, batch_size, every):
    notes = make_notes(bench)
    argv = bench.torchrun(ranks, SCRIPT, *script_arguments(bench, notes, batch_size, every))
    argv.insert(3, "--max-restarts=3")
    with open(notes / "said", "w") as said:
        process = subprocess.Popen([str(word) for word in argv], env=bench.environment(), stdout=said, stderr=said)
    try:
        return kill_at(notes, step, patience)
    finally:
        for each, _ in processes_about(notes):  # asked to end, torchrun would wait for its ranks
            with suppress(ProcessLookupError):
                os.kill(int(each.name), signal.SIGKILL)
        process.wait()


def write_images(bench, raw):
    """As tensors, for SCRIPT: nothing but torch is imported there."""
    code = ("import sys, torch, numpy; raw = sys.argv[1]; "
            "images = numpy.fromfile(raw + '/train-images-idx3-ubyte', dtype=numpy.uint8)[16:].reshape(-1, 784); "
            "labels = numpy.fromfile(raw + '/train-labels-idx1-ubyte', dtype=numpy.uint8)[8:]; "
            "torch.save((torch.from_numpy(images).float() / 255, torch.from_numpy(labels).long()), sys.argv[2])")
    bench.run(bench.python, "-c", code, raw, bench.folder / "images.pt")
