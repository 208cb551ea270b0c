"""A Python script under `command:` on two nodes of Slurm (tests/rig): it trains, and starts again when a rank is killed."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import torch

from eventually import eventually
from launch import DDPSUBMIT, HERE


def events(run_folder, name):
    lines = [line for file in (run_folder / "ledger").glob("*.jsonl") for line in file.read_text().splitlines()]
    return [event for event in map(json.loads, lines) if event["event"] == name]


class SlurmCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def ddpsubmit(self, *words):
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        done = subprocess.run([DDPSUBMIT, *map(str, words)], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.strip()

    def submit(self, name, *script_arguments):
        config = self.folder / f"{name}.yaml"
        config.write_text(json.dumps({
            "name": name,
            "launcher": "slurm",
            "run_root": str(self.folder / "runs"),
            "resources": {"nodes": 2, "tasks_per_node": 1, "cpus_per_task": 1, "time": "00:10:00"},
            "fault_tolerance": {"max_restarts": 1},
            "command": [sys.executable, str(HERE / "resumable.py"), "--checkpoint", str(self.folder / f"{name}.pt"),
                        *script_arguments],
        }))
        return self.folder / "runs" / self.ddpsubmit("run", config)

    def checkpoint(self, name):
        path = self.folder / f"{name}.pt"
        return torch.load(path, weights_only=True) if path.exists() else None

    def test_a_script_goes_on_from_its_own_checkpoint_when_a_rank_is_killed(self):
        self.submit("undisturbed")
        self.ddpsubmit("wait", "undisturbed")

        run_folder = self.submit("disturbed", "--pause", "0.05")
        eventually(lambda: (self.checkpoint("disturbed") or {"step": 0})["step"] >= 20, seconds=120)
        (victim,) = [event["pid"] for event in events(run_folder, "rank_started") if event["rank"] == 1]
        os.kill(victim, signal.SIGKILL)  # the nodes of the rig share one PID namespace
        self.ddpsubmit("wait", "disturbed")

        (restart,) = events(run_folder, "restarting")
        self.assertEqual((restart["cause"]["rank"], restart["cause"]["host"], restart["cause"]["signal"]), (1, "node2", 9))
        self.assertEqual(len(events(run_folder, "head_started")), 1, "the job was not started again")
        begins = (run_folder / "logs" / "attempt-1" / "rank-1.out").read_text()
        self.assertRegex(begins, r"^attempt 1 begins at step [234]0 on node2\n")
        self.assertEqual(self.checkpoint("disturbed")["step"], 60)
        for name, tensor in self.checkpoint("undisturbed")["model"].items():
            self.assertTrue(torch.equal(tensor, self.checkpoint("disturbed")["model"][name]), name)


if __name__ == "__main__":
    unittest.main()
