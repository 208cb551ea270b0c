"""examples/python_ddp, disturbed in all ways that it promises to survive, on what DDP_LAUNCHER names: local, slurm, ssh, push.

push means three ssh hosts that share no folder. Each run ends with the same bytes as an undisturbed run. Push is the exception: its three
ranks add numbers in another order, so the values are only nearly the same. The processes of all nodes are on this machine (tests/rig).
"""
import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import torch

from eventually import eventually
from launch import DDPSUBMIT, HERE

SOURCE = HERE.parent.parent
LAUNCHER = os.environ.get("DDP_LAUNCHER", "local")
RESOURCES = {
    "local": {"nodes": 1, "tasks_per_node": 2},
    "slurm": {"nodes": 2, "tasks_per_node": 1},
    "ssh": {"nodes": 2, "tasks_per_node": 1},
    "push": {"nodes": 3, "tasks_per_node": 1},
}[LAUNCHER]
ON_HOSTS = LAUNCHER in ("ssh", "push")
# The sum of three gradients depends on their order, and the reducer rearranges its bucket after the first step of each attempt.
SAME = functools.partial(torch.allclose, rtol=1e-4, atol=1e-5) if LAUNCHER == "push" else torch.equal
EPOCHS = 15  # 1,500 steps: some seconds


class PythonDdp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.undisturbed = cls.start("undisturbed")
        cls.ddpsubmit("wait", "undisturbed")
        cls.hung = cls.start_hung()  # it is a minute until that is noticed

    @classmethod
    def ddpsubmit(cls, *words, code=0):
        environment = {**os.environ, "XDG_STATE_HOME": str(cls.folder / "state")}
        done = subprocess.run([DDPSUBMIT, *map(str, words)], capture_output=True, text=True, env=environment)
        if done.returncode != code:
            raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    @classmethod
    def start(cls, name, **changes):
        """The run of the example's own file, with the Python of this test and what its launcher needs. Returns its folder."""
        values = {
            "name": name, "launcher": "ssh" if ON_HOSTS else LAUNCHER, "run_root": cls.folder / "runs", **{f"resources.{key}": value for key, value in RESOURCES.items()},
            "environment.set.PYTHONPATH": SOURCE / "python", "environment.set.EPOCHS": EPOCHS, **changes}
        if ON_HOSTS:
            values["ssh.hosts"] = f"[{', '.join(f'node{number + 1}' for number in range(RESOURCES['nodes']))}]"
        if LAUNCHER == "push":
            values |= {"ssh.stage": "push", "ssh.push_folder": "/scratch/ddp"}
        example = SOURCE / "examples" / "python_ddp"
        words = [f"{key}={value}" for key, value in values.items()]
        run_id = cls.ddpsubmit("run", example / "run.yaml", *words, f'command=[{sys.executable}, {example / "train.py"}]', "--detach")
        return cls.folder / "runs" / run_id

    @classmethod
    def start_hung(cls):
        """A run whose rank 1 is stopped for good."""
        run = cls.start("hung", **{"fault_tolerance.hang_timeout": "1m"})
        pid = cls.pid_of(run, 0, 1)
        eventually(lambda: cls.saved_step(run) > 0)
        os.kill(pid, signal.SIGSTOP)
        return run

    @staticmethod
    def place(run):
        """The run folder as head and rank 0 see it."""
        if LAUNCHER != "push":
            return run
        process = Path("/run/rig/node1/holder").read_text().strip()
        return Path(f"/proc/{process}/root/scratch/ddp/runs/{run.name}")

    @classmethod
    def events(cls, run, name):
        lines = [line for file in (cls.place(run) / "ledger").glob("*.jsonl") for line in file.read_text().splitlines()]
        return [event for event in map(json.loads, lines) if event["event"] == name]

    @classmethod
    def pid_of(cls, run, attempt, rank):
        """Once the attempt has done a step of its own."""
        eventually(lambda: cls.first_step(run, attempt))
        return next(event["pid"] for event in cls.events(run, "rank_started") if (event["attempt"], event["rank"]) == (attempt, rank))

    @classmethod
    def first_step(cls, run, attempt):
        with contextlib.suppress(FileNotFoundError):
            for line in (cls.place(run) / "metrics.jsonl").read_text().splitlines():
                record = json.loads(line)
                if (record["kind"], record["attempt"]) == ("first_step", attempt):
                    return record["step"]
        return None

    @classmethod
    def state(cls, run):
        return torch.load(cls.place(run) / "output" / "checkpoint.pt")

    @classmethod
    def saved_step(cls, run):
        return cls.state(run)["done"] if (cls.place(run) / "output" / "checkpoint.pt").exists() else 0

    def assert_undisturbed(self, run):
        expected, found = self.state(self.undisturbed), self.state(run)
        self.assertEqual(found["done"], EPOCHS * 100)
        for name, tensor in expected["model"].items():
            self.assertTrue(SAME(tensor, found["model"][name]), name)
        if SAME is torch.equal:
            self.assertEqual(str(expected["optimizer"]), str(found["optimizer"]))

    def stop_steps(self, run, attempt):
        """The last step of each rank, and with which code it left."""
        records = [json.loads(file.read_text()) for file in (run / "exit" / f"attempt-{attempt}").glob("rank-*.json")]
        return {(record["last_step"], record["code"]) for record in records}

    def test_kill_of_any_rank(self):
        run = self.start("killed")
        for attempt, rank in enumerate((0, 1)):
            pid = self.pid_of(run, attempt, rank)
            before = self.saved_step(run)
            eventually(lambda: self.saved_step(run) > before)
            os.kill(pid, signal.SIGKILL)
        self.ddpsubmit("wait", "killed")
        causes = sorted((event["attempt"], event["cause"]["rank"], event["cause"]["signal"]) for event in self.events(run, "restarting"))
        self.assertEqual(causes, [(0, 0, 9), (1, 1, 9)])
        self.assertGreater(self.first_step(run, 1), 1)
        recovery = json.loads(self.ddpsubmit("describe", "killed", "--json"))["recovery"]
        self.assertEqual(recovery["failures"], 2)
        self.assertGreaterEqual(recovery["lost_steps"], 0)
        self.assert_undisturbed(run)

    def test_a_stop_and_a_rerun(self):
        run = self.start("stopped")
        eventually(lambda: self.saved_step(run) > 0)
        self.ddpsubmit("cancel", "stopped")
        (step, code), = self.stop_steps(run, 0)
        self.assertEqual((code, self.saved_step(run)), (75, step), "all ranks left after the step that was saved")
        self.ddpsubmit("rerun", "stopped", "--detach")
        self.ddpsubmit("wait", "stopped")
        self.assertEqual(self.first_step(run, 1), step + 1)
        self.assert_undisturbed(run)

    def limited(self):
        """A run that has saved a step before its time limit came. The limit counts the imports of torch, too: it is doubled until it is long enough."""
        if LAUNCHER == "slurm":  # with these times the stop signal means the time limit from the first second on
            run = self.start("limited", **{
                "resources.time": "5m", "fault_tolerance.signal_lead": "3m59s", "fault_tolerance.requeue": "true", "environment.set.EPOCHS": 4000})
            eventually(lambda: self.saved_step(run) > 0)
            job_id = self.events(run, "head_started")[0]["job_id"]
            subprocess.run(["scancel", "--batch", "--signal=USR2", job_id], check=True)
            return run
        seconds = 15
        while True:
            run = self.start(f"limited-{seconds}", **{"resources.time": f"{seconds}s", "environment.set.EPOCHS": 4000})
            eventually(lambda: self.events(run, "run_ended"))
            if self.saved_step(run) > 0:
                return run
            seconds *= 2

    def test_the_time_limit(self):
        run = self.limited()
        if LAUNCHER == "slurm":
            self.assertEqual(eventually(lambda: self.events(run, "requeued"))[0]["reason"], "time_limit")
        else:
            self.ddpsubmit("rerun", run.name, "resources.time=30m", "--detach")  # the first limit might end the imports of torch
        (step, code), = self.stop_steps(run, 0)
        self.assertEqual(code, 75)
        self.assertEqual(eventually(lambda: self.first_step(run, 1)), step + 1, "it resumes from the step that all ranks left after")
        self.ddpsubmit("cancel", run.name)

    @unittest.skipUnless(ON_HOSTS, "this launcher has one host")
    def test_zz_a_host_that_is_lost_and_comes_back(self):  # the last one: the others need that host
        run = self.start("lost")
        before = eventually(lambda: self.saved_step(run))
        subprocess.run(["ip", "link", "set", "port2", "down"], check=True)
        try:
            eventually(lambda: self.events(run, "restarting"))
        finally:
            subprocess.run(["ip", "link", "set", "port2", "up"], check=True)
        self.ddpsubmit("wait", "lost")
        self.assertGreater(self.first_step(run, 1), before)
        self.assert_undisturbed(run)

    def test_z_a_hang(self):
        self.ddpsubmit("wait", "hung")
        restart, = self.events(self.hung, "restarting")
        self.assertEqual(restart["cause"]["rank"], 1)
        self.assertRegex(restart["message"], r"^rank 1 on \S+ made no progress for \d+ s in step \d+.*: its process is stopped.*; the other (rank was|2 ranks were) stopped")
        self.assert_undisturbed(self.hung)


if __name__ == "__main__":
    unittest.main()
