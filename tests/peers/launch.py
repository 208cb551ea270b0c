"""Starts the two sides: ddptrain under ddpsubmit, and train.py under torchrun. Several ranks of Python: process_group.py."""

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


def torchrun(ranks, arguments):
    run([sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}",
         HERE / "train.py", *arguments])


def checkpoint_of(run_folder):
    checkpoints = run_folder / "checkpoints"
    return checkpoints / (checkpoints / "LATEST").read_text().strip()


def merged(run_folder, part="model"):
    """A file with all tensors of the model or of the optimizer of the last checkpoint, sharded or not."""
    file = run_folder / f"merged.{part}.safetensors"
    options = ["--optimizer"] if part == "optimizer" else []
    run([DDPSUBMIT, "checkpoint", "merge", checkpoint_of(run_folder), *options, "--force", "--output", file])
    return file
