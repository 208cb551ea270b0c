"""Starts the two sides: ddptrain under ddpsubmit, and train.py under torchrun or ddpsubmit."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
DDPSUBMIT = os.environ["DDPSUBMIT"]  # the program under test
AT_NIGHT = "FULL_LENGTH" in os.environ  # all combinations, at their full length


def run(argv, **environment):
    """Runs a program to its end; a failure shows what it said."""
    # torchrun sets one thread a rank where nobody says otherwise.
    inherited = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, env={**inherited, **environment})
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode} of {' '.join(map(str, argv))}\n{done.stdout}{done.stderr}")


def ddpsubmit_run(folder, config):
    """Runs a configuration (a dict) to its end on this machine. Returns the run folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "run.yaml"
    path.write_text(json.dumps({"launcher": "local", "run_root": str(folder / "runs"), **config}))  # JSON is YAML
    run([DDPSUBMIT, "run", path], XDG_STATE_HOME=str(folder / "state"))
    (run_folder,) = (folder / "runs").iterdir()
    return run_folder


def torchrun(ranks, arguments, script="train.py"):
    run([sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}",
         HERE / script, *arguments])


def train_in_python(folder, cases, arguments_of):
    """Trains each of `cases` (by name) with each number of its `ranks`, all that have the same number in one start of the ranks.

    arguments_of(name, ranks): its options of train.py
    """
    for ranks in sorted({ranks for case in cases.values() for ranks in case.ranks}):
        trainings = [[str(word) for word in arguments_of(name, ranks)] for name, case in cases.items() if ranks in case.ranks]
        path = folder / f"trainings-{ranks}.json"
        path.write_text(json.dumps(trainings))
        torchrun(ranks, [path], script="train_all.py")


def checkpoint_of(run_folder):
    checkpoints = run_folder / "checkpoints"
    return checkpoints / (checkpoints / "LATEST").read_text().strip()


def merged(run_folder, part="model"):
    """A file with all tensors of the model or of the optimizer of the last checkpoint, sharded or not."""
    file = run_folder / f"merged.{part}.safetensors"
    options = ["--optimizer"] if part == "optimizer" else []
    run([DDPSUBMIT, "checkpoint", "merge", checkpoint_of(run_folder), *options, "--force", "--output", file])
    return file
