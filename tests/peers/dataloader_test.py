"""Workers of a DataLoader, and examples/python_dataloader, when every process of a job gets SIGTERM: here, or by scancel on Slurm (DDP_LAUNCHER)."""
import contextlib
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
from launch import AT_NIGHT, DDPSUBMIT, HERE

SOURCE = HERE.parent.parent
EXAMPLE = SOURCE / "examples" / "python_dataloader"
ON_SLURM = os.environ["DDP_LAUNCHER"] == "slurm"
EPOCHS = 5
# How a DataLoader starts its workers, and which processes are protected.
WAYS = (("fork", "each"), ("fork", "all"), ("spawn", "all"), ("forkserver", "all"))
if not AT_NIGHT:
    WAYS = WAYS[0::2]


def children(pid):
    """All processes below this one."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            found += [child, *children(child)]
    return found


class DataLoaderWorkers(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def ddpsubmit(self, *words, code=0):
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        done = subprocess.run([DDPSUBMIT, *map(str, words)], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout.strip()

    def start(self, name, *command):
        resources = "{nodes: 2, tasks_per_node: 1}" if ON_SLURM else "{nodes: 1, tasks_per_node: 2}"
        values = {"name": name, "launcher": "slurm" if ON_SLURM else "local", "run_root": self.folder / "runs", "resources": resources,
                  "fault_tolerance.max_restarts": 0, "environment.set.PYTHONPATH": SOURCE / "python", "environment.set.EPOCHS": EPOCHS,
                  "command": json.dumps([sys.executable, *map(str, command)])}
        words = [f"{key}={value}" for key, value in values.items()]
        return self.folder / "runs" / self.ddpsubmit("run", EXAMPLE / "run.yaml", *words, "--detach")

    @staticmethod
    def events(run, name):
        lines = [line for file in (run / "ledger").glob("*.jsonl") for line in file.read_text().splitlines()]
        return [event for event in map(json.loads, lines) if event["event"] == name]

    @staticmethod
    def trains(run):
        """Whether all ranks have started their workers, and ask for stops."""
        with contextlib.suppress(FileNotFoundError):
            return '"train"' in (run / "metrics.jsonl").read_text()

    def stop_every_process(self, run):
        """As Slurm does at a cancel and at a preemption. Returns how many processes the ranks had started."""
        eventually(lambda: self.trains(run))
        ranks = [event["pid"] for event in self.events(run, "rank_started")]
        workers = [worker for rank in ranks for worker in children(rank)]
        if ON_SLURM:
            subprocess.run(["scancel", self.events(run, "head_started")[0]["job_id"]], check=True)
        else:
            for number in (signal.SIGTERM, signal.SIGUSR2):
                for pid in [*ranks, *workers]:
                    os.kill(pid, number)
            self.ddpsubmit("cancel", run.name)
        eventually(lambda: self.events(run, "run_ended"))
        self.assertEqual([pid for pid in workers if Path(f"/proc/{pid}").exists()], [])
        return len(workers)

    def assert_stopped(self, run):
        """Returns the step after which all ranks have stopped."""
        records = [json.loads(file.read_text()) for file in (run / "exit" / "attempt-0").glob("rank-*.json")]
        (step, code), = {(record["last_step"], record["code"]) for record in records}
        self.assertEqual(code, 75, (run / "logs" / "attempt-0" / "rank-0.err").read_text())
        return step

    def test_a_rank_that_raises_or_returns_ends_with_its_workers(self):
        for method, protection in WAYS:
            for ending, state in (("raise", "failed"), ("return", "succeeded")):
                with self.subTest(method=method, protection=protection, ending=ending):
                    run = self.start(f"{method}-{protection}-{ending}", HERE / "loader_end.py", method, protection, ending)
                    ended, = eventually(lambda: self.events(run, "run_ended"))
                    self.assertEqual(ended["state"], state)
                    errors = (run / "logs" / "attempt-0" / "rank-0.err").read_text()
                    self.assertEqual("ValueError: boom" in errors, ending == "raise", errors)
                    self.assertNotIn("DataLoader worker", errors)

    def test_workers_outlive_a_stop_until_their_rank_has_stopped(self):
        for method, protection in WAYS:
            with self.subTest(method=method, protection=protection):
                run = self.start(f"{method}-{protection}-stop", HERE / "loader_end.py", method, protection, "stop")
                self.assertGreaterEqual(self.stop_every_process(run), 4)
                self.assertGreater(self.assert_stopped(run), 0)

    def test_workers_without_protection_end_their_rank(self):
        run = self.start("unprotected", HERE / "loader_end.py", "fork", "none", "stop")
        self.stop_every_process(run)
        errors = "".join(file.read_text() for file in (run / "logs" / "attempt-0").glob("rank-*.err"))
        self.assertIn("DataLoader worker", errors)

    def test_the_example_resumes_within_an_epoch_after_a_stop_of_every_process(self):
        undisturbed = self.start("undisturbed", EXAMPLE / "train.py")
        self.ddpsubmit("wait", "undisturbed")
        run = self.start("stopped", EXAMPLE / "train.py")
        self.assertEqual(self.stop_every_process(run), 4)
        step = self.assert_stopped(run)
        state = torch.load(run / "output" / "checkpoint.pt")
        self.assertEqual(state["done"], step, "all ranks left after the step that was saved")
        self.ddpsubmit("rerun", "stopped", "--detach")
        self.ddpsubmit("wait", "stopped")
        expected, found = torch.load(undisturbed / "output" / "checkpoint.pt"), torch.load(run / "output" / "checkpoint.pt")
        self.assertEqual(str(found), str(expected))
        for name, tensor in expected["model"].items():
            self.assertTrue(torch.equal(tensor, found["model"][name]), name)
        evaluations = [line for line in (run / "metrics.jsonl").read_text().splitlines() if '"accuracy"' in line]
        self.assertEqual(len(evaluations), EPOCHS)


if __name__ == "__main__":
    unittest.main()
