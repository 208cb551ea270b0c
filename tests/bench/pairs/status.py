"""The CPU time of `status` and `list` for 10, 100 and 1,000 runs: user and system time of the ddpsubmit process. The time of squeue is not included.

One training of four ranks runs here, and its folder is copied for the runs that have ended. One run in ten is active: a held job of the Slurm of
tests/rig, with its token. squeue is called once, for any number of runs.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from harness.bench import in_turns
from harness.our_run import newest_run, on_this_machine, write_config
from harness.rows import Goal, Growth

RIG = ["tests/rig/slurm_rig", "with", "--conf", "MaxJobCount=20000", "--"]
RUNS = [10, 100, 1000]
OPEN_SHARE = 10  # one in so many
MOST_CALLS = 4  # squeue once, and what Slurm is asked about itself and about jobs that it has forgotten
TOOLS = ["squeue", "scontrol", "sacct"]
VERBS = {"CPU time of `ddpsubmit status` for all runs": lambda runs: ["status", *runs], "CPU time of `ddpsubmit list`": lambda _runs: ["list"]}


def measure(bench):
    pattern = run_once(bench)
    homes = {runs: Home(bench, pattern, runs) for runs in RUNS}
    taken = in_turns(bench, {(what, runs): homes[runs].side(verb) for what, verb in VERBS.items() for runs in RUNS})
    return [Growth(what, "ms", "runs", [(runs, taken[what, runs]) for runs in RUNS], Goal("doubling", 2)) for what in VERBS]


def run_once(bench):
    """A real run of four ranks; its folder."""
    config = write_config(bench.folder / "pattern", "pattern", resources=on_this_machine(4), train={
        "max_steps": 3, "model": {"name": "mlp"}, "optimizer": {"name": "adam", "learning_rate": 0.001},
        "data": {"name": "synthetic", "batch_size": 8}, "evaluate": {"every_epochs": 0}})
    bench.run(bench.ddpsubmit, "run", config)
    return newest_run(config.parent)


class Home:
    """Of a user who has so many runs."""

    def __init__(self, bench, pattern, runs):
        self.bench = bench
        self.pattern = pattern
        self.pointer = json.loads((bench.folder / "state/ddpsubmit/runs" / f"{pattern.name}.json").read_text())
        self.state = bench.folder / f"state-{runs}"
        self.runs = bench.folder / f"runs-{runs}"
        self.calls = bench.folder / f"calls-{runs}"
        (self.state / "ddpsubmit/runs").mkdir(parents=True)
        self.names = [self.add_open(i) if i % OPEN_SHARE == 0 else self.add_ended(i) for i in range(runs)]
        self.path = f"{self.count_calls(bench.folder / f'tools-{runs}')}:{os.environ['PATH']}"

    def add(self, name, job_id):
        run = self.runs / name
        pointer = {**self.pointer, "run_id": name, "name": name, "run_dir": str(run), "launcher": "slurm", "job_id": job_id}
        (self.state / "ddpsubmit/runs" / f"{name}.json").write_text(json.dumps(pointer, indent=2) + "\n")
        return run

    def add_ended(self, number):
        run = self.add(f"ended-{number:08}", str(10_000_000 + number))
        shutil.copytree(self.pattern, run)
        return run.name

    def add_open(self, number):
        token = f"bench{number:08}"
        job_id = subprocess.check_output(["sbatch", "--parsable", "--hold", f"--comment=ddpsubmit:{token}", "--output=/dev/null",
                                          "--wrap=true"], text=True).strip()
        run = self.add(f"open-{number:08}", job_id)
        for part in ["attempts", "exit", "ledger", "logs"]:
            (run / part).mkdir(parents=True)
        for part in ["plan.json", "spec.yaml"]:
            shutil.copy(self.pattern / part, run)
        time = json.loads((self.pattern / "ledger/submit.jsonl").read_text().splitlines()[0])["time"]
        events = [{"time": time, "event": "submit_intent", "token": token, "launcher": "slurm"},
                  {"time": time, "event": "submitted", "launcher": "slurm", "host": "login0", "job_id": job_id}]
        (run / "ledger/submit.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
        return run.name

    def count_calls(self, tools):
        """A folder for PATH with tools that leave a line in `calls` each time they are called."""
        tools.mkdir()
        for tool in filter(shutil.which, TOOLS):
            (tools / tool).write_text(f"#!/bin/sh\necho {tool} >>{self.calls}\nexec {shutil.which(tool)} \"$@\"\n")
            (tools / tool).chmod(0o755)
        return tools

    def side(self, verb):
        def milliseconds(_turn):
            self.calls.write_text("")
            taken = own_milliseconds([self.bench.ddpsubmit, *verb(self.names)],
                                     self.bench.environment(XDG_STATE_HOME=str(self.state), PATH=self.path))
            asked = self.calls.read_text().split()
            if asked.count("squeue") != 1 or len(asked) > MOST_CALLS:
                sys.exit(f"Slurm was asked by {asked}")
            return taken

        return milliseconds


def own_milliseconds(argv, environment):
    process = subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    nanoseconds = int(Path(f"/proc/{process.pid}/schedstat").read_text().split()[0])
    if process.wait() != 0:
        sys.exit(f"{argv[:2]} failed")
    return nanoseconds / 1e6
