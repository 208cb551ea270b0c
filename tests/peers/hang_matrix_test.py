"""Real programs on Gloo that hang, or only seem to: the right rank is named, and nobody is where nothing is wrong.

The programs know nothing of ddpsubmit (hanging_ddp.py). All runs are there at once, as most of their processes wait.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from eventually import eventually
from launch import DDPSUBMIT, HERE

RANKS = 3
IDLE = 4  # seconds, instead of ten minutes
PAUSE = 4 * IDLE


class Runs(unittest.TestCase):
    tools = str(Path(sys.executable).parent)  # with py-spy

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)

    @classmethod
    def ddpsubmit(cls, *words, code=0):
        environment = {**os.environ, "XDG_STATE_HOME": str(cls.folder / "state"), "DDPSUBMIT_TEST_WAITS": json.dumps({"live": 250, "idle": IDLE * 1000})}
        done = subprocess.run([DDPSUBMIT, *map(str, words)], capture_output=True, text=True, env=environment)
        if done.returncode != code:
            raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    @classmethod
    def start(cls, case, culprit=1, **changes):
        values = {
            "name": case, "launcher": "local", "run_root": cls.folder / "runs", "resources.tasks_per_node": RANKS,
            "environment.set.CASE": case, "environment.set.CULPRIT": culprit, "environment.set.PAUSE": PAUSE, "environment.set.OMP_NUM_THREADS": 1, **changes}
        config = cls.folder / f"{case}.yaml"
        config.write_text(json.dumps({"command": [sys.executable, str(HERE / "hanging_ddp.py")]}))
        run_id = cls.ddpsubmit("run", config, *[f"{key}={value}" for key, value in values.items()], "--detach")
        return cls.folder / "runs" / run_id

    @staticmethod
    def events(run, name):
        lines = [line for file in (run / "ledger").glob("*.jsonl") for line in file.read_text().splitlines()]
        return [event for event in map(json.loads, lines) if event["event"] == name]

    @classmethod
    def suspicion(cls, run):
        (event,) = eventually(lambda: cls.events(run, "hang_suspected"))
        return event["message"]


class Hangs(Runs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs = {case: cls.start(case) for case in ("sleeps", "leaves_a_collective_alone")}
        cls.restarted = cls.start("sleeps", **{"name": "restarted", "fault_tolerance.hang_timeout": "1m", "fault_tolerance.max_restarts": 1})
        cls.addClassCleanup(lambda: cls.ddpsubmit("cancel", *cls.runs))

    def test_one_that_sleeps(self):
        self.assertRegex(self.suspicion(self.runs["sleeps"]), r"^rank 1 on \S+ has done nothing for .*: it is in sleeps \(hanging_ddp.py:\d+\); the other ranks are in .*torch")

    def test_one_in_another_collective(self):
        self.assertRegex(self.suspicion(self.runs["leaves_a_collective_alone"]), r"^rank 1 on \S+ has done nothing for .*: it is in \w*barrier\w* \(torch/distributed/")

    def test_z_a_restart(self):
        self.ddpsubmit("wait", "restarted")
        (restart,) = self.events(self.restarted, "restarting")
        self.assertEqual(restart["cause"]["rank"], 1)
        self.assertRegex(restart["message"], r"^rank 1 on \S+ has done nothing for \d+ s: it is in sleeps \(hanging_ddp.py:\d+\); the other ranks are in ")


class Departures(Runs):
    def test_one_that_leaves(self):
        run = self.start("leaves")
        self.ddpsubmit("wait", "leaves", code=1)
        (end,) = self.events(run, "run_ended")
        self.assertIn("rank 1 had ended with exit code 0", end["message"])


class NoHangs(Runs):
    """Nobody is suspected, though ranks wait for several times as long as they may do nothing."""

    def test_ranks_at_work(self):
        runs = [self.start(case, culprit=0) for case in ("evaluates", "compiles", "downloads")]
        self.ddpsubmit("wait", *[run.name for run in runs])
        for run in runs:
            self.assertEqual(self.events(run, "hang_suspected"), [], run.name)


if __name__ == "__main__":
    unittest.main()
