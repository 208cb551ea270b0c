"""Real programs on Gloo that hang, or only seem to: the right rank is named, and nobody is where nothing is wrong.

The programs know nothing of ddpsubmit (hanging_ddp.py). All runs are there at once, as most of their processes wait.
"""
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from eventually import eventually
from launch import DDPSUBMIT, HERE

RANKS = 3
IDLE = 4  # seconds, instead of ten minutes
PAUSE = 4 * IDLE
PTRACE_ATTACH, PTRACE_DETACH = 16, 17


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

    @staticmethod
    def pid_that_is_told(run):
        def look():
            file = run / "logs" / "attempt-0" / "rank-1.out"
            return file.exists() and re.search(r"pid (\d+)", file.read_text())
        return int(eventually(look).group(1))


class Hangs(Runs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs = {case: cls.start(case) for case in ("sleeps", "deadlocks", "is_stopped", "leaves_a_collective_alone")}
        cls.restarted = cls.start("sleeps", **{"name": "restarted", "fault_tolerance.hang_timeout": "1m", "fault_tolerance.max_restarts": 1})
        os.kill(cls.pid_that_is_told(cls.runs["is_stopped"]), signal.SIGSTOP)
        cls.addClassCleanup(lambda: cls.ddpsubmit("cancel", *cls.runs))

    def test_one_that_sleeps(self):
        self.assertRegex(self.suspicion(self.runs["sleeps"]), r"^rank 1 on \S+ has done nothing for .*: it is in sleeps \(hanging_ddp.py:\d+\); the other ranks are in .*torch")

    def test_one_in_a_deadlock(self):
        self.assertRegex(self.suspicion(self.runs["deadlocks"]), r"^rank 1 on \S+ has done nothing for .*: it is in deadlocks \(hanging_ddp.py:\d+\)")

    def test_one_that_is_stopped(self):
        self.assertRegex(self.suspicion(self.runs["is_stopped"]), r"^rank 1 on \S+ has done nothing for .*: its process is stopped, in is_stopped \(hanging_ddp.py:\d+\)")

    def test_one_in_another_collective(self):
        self.assertRegex(self.suspicion(self.runs["leaves_a_collective_alone"]), r"^rank 1 on \S+ has done nothing for .*: it is in \w*barrier\w* \(torch/distributed/")

    def test_the_stacks_of_a_run(self):
        text = self.ddpsubmit("stack", "deadlocks")
        self.assertRegex(text, r"(?s)^rank 1 on \S+: sleeping \(by py-spy\)\n    deadlocks \(hanging_ddp.py:\d+\)\n.*\n\nranks 0,2 on ")
        one = json.loads(self.ddpsubmit("stack", "deadlocks", "--rank", "1", "--json"))
        self.assertEqual([stack["rank"] for stack in one["ranks"]], [1])

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

    def test_a_job_that_is_suspended(self):
        run = self.start("is_stopped", name="suspended", **{"environment.set.PAUSE": 1})
        self.pid_that_is_told(run)
        pids = [event["pid"] for event in self.events(run, "rank_started")]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(PAUSE)
        self.assertEqual(self.events(run, "hang_suspected"), [])
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        self.ddpsubmit("wait", "suspended")
        self.assertEqual(self.events(run, "hang_suspected"), [])

    def test_a_rank_in_a_debugger(self):
        run = self.start("is_stopped", name="debugged", **{"environment.set.PAUSE": 1})
        pid = self.pid_that_is_told(run)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        self.assertEqual(libc.ptrace(PTRACE_ATTACH, pid, None, None), 0)
        os.waitpid(pid, 0x40000000)  # __WALL
        time.sleep(PAUSE)
        self.assertEqual(libc.ptrace(PTRACE_DETACH, pid, None, None), 0)
        self.ddpsubmit("wait", "debugged")
        self.assertEqual(self.events(run, "hang_suspected"), [])


if __name__ == "__main__":
    unittest.main()
