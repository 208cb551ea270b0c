"""The programs of docs/frameworks.md, as they stand there, on the launcher that DDP_LAUNCHER names: local, slurm, ssh.

Each is stopped, and resumes after the step at which it was: on Slurm at its time limit, when it is requeued, elsewhere by a cancel and a
rerun. `mine`, which the programs import, is a file of tests/peers/frameworks.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from eventually import eventually
from launch import DDPSUBMIT, HERE

SOURCE = HERE.parent.parent
LAUNCHER = os.environ.get("DDP_LAUNCHER", "local")
RESOURCES = {
    "local": {"resources.nodes": 1, "resources.tasks_per_node": 2},
    "slurm": {"resources.nodes": 2, "resources.tasks_per_node": 1},
    "ssh": {"resources.nodes": 2, "resources.tasks_per_node": 1, "ssh.hosts": "[node1, node2]"},
}[LAUNCHER]


def snippets(section):
    """The blocks of code of a section of the page, by the language of each."""
    page = (SOURCE / "docs" / "frameworks.md").read_text()
    text = re.search(rf"^#+ {re.escape(section)}\n(.*?)(?=^## |^### |\Z)", page, re.DOTALL | re.MULTILINE).group(1)
    return dict(re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE))


class Framework(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(HERE / "frameworks" / "pace.py", self.folder)
        (self.folder / "train.yaml").write_text(snippets("Lightning, Hugging Face, accelerate, DeepSpeed")["yaml"])

    def ddpsubmit(self, *words, code=0):
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        done = subprocess.run([DDPSUBMIT, *map(str, words)], capture_output=True, text=True, env=environment, cwd=self.folder)
        if done.returncode != code:
            raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}{self.output_of_ranks()}")
        return done.stdout.strip()

    def output_of_ranks(self):
        return "".join(f"{file}\n{file.read_text()[-3000:]}" for file in sorted(self.folder.glob("runs/*/logs/attempt-*/rank-*.*")))

    def start(self, section, mine, *settings, file="train.yaml"):
        """The program of a section, on the processors of this machine."""
        shutil.copy(HERE / "frameworks" / f"{mine}.py", self.folder / "mine.py")
        (self.folder / "train.py").write_text(snippets(section)["python"])
        values = {
            **RESOURCES, "launcher": LAUNCHER, "resources.gpus_per_node": 0, "resources.cpus_per_task": 1, "resources.time": "00:30:00",
            "fault_tolerance.signal_lead": "3m59s", "run_root": "runs", "environment.set.PYTHONPATH": SOURCE / "python",
            "environment.set.ACCELERATE_USE_CPU": "'true'", "command": f"[{sys.executable}, train.py]"}
        run_id = self.ddpsubmit("run", file, *(f"{key}={value}" for key, value in values.items()), *settings, "--detach")
        self.run_folder = self.folder / "runs" / run_id

    def events(self, name):
        lines = [line for file in sorted((self.run_folder / "ledger").glob("*.jsonl")) for line in file.read_text().splitlines()]
        return [event for event in map(json.loads, lines) if event["event"] == name]

    def output(self, attempt):
        file = self.run_folder / "logs" / f"attempt-{attempt}" / "rank-0.out"
        return file.read_text() if file.exists() else ""

    def first_step(self, attempt):
        """That rank 0 of the attempt has reported; 0: none yet."""
        file = self.run_folder / "metrics.jsonl"
        records = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        return next((record["step"] for record in records if (record["kind"], record["attempt"]) == ("first_step", attempt)), 0)

    def reach_time_limit(self):
        """Slurm sends its signal, and the job waits for its next start, which has more time."""
        job = self.events("submitted")[0]["job_id"]
        subprocess.run(["scontrol", "update", f"JobId={job}", "TimeLimit=4"], check=True)
        eventually(lambda: self.events("requeued"))
        subprocess.run(["scontrol", "update", f"JobId={job}", "TimeLimit=30"], check=True)
        self.ddpsubmit("wait", "last")
        self.assertEqual([event["outcome"] for event in self.events("attempt_ended")], ["timed_out", "succeeded"])
        (requeue,) = self.events("requeued")
        self.assertEqual((requeue["reason"], requeue["count"]), ("time_limit", 1))

    def stop_and_resume(self):
        if LAUNCHER == "slurm":
            return self.reach_time_limit()
        self.ddpsubmit("cancel", "last")
        self.ddpsubmit("rerun", "last", "--detach")
        self.ddpsubmit("wait", "last")

    def check_resume(self, section, mine):
        self.start(section, mine)
        eventually(lambda: self.first_step(0))
        self.stop_and_resume()
        self.assertEqual(self.first_step(1), self.stop_step() + 1)

    def stop_step(self):
        """After which both ranks have stopped on request, in the first attempt."""
        files = [self.run_folder / "exit" / "attempt-0" / f"rank-{rank}.json" for rank in (0, 1)]
        eventually(lambda: all(file.exists() for file in files))
        records = [json.loads(file.read_text()) for file in files]
        self.assertEqual([record["code"] for record in records], [75, 75])
        (step,) = {record["last_step"] for record in records}
        return step


class Supervised(Framework):
    def test_lightning(self):
        self.check_resume("Lightning", "for_lightning")

    @unittest.skipUnless(LAUNCHER == "slurm", "elsewhere nobody sends TERM to ranks that ask for stops")
    def test_lightning_is_cancelled(self):
        self.start("Lightning", "for_lightning")
        eventually(lambda: self.first_step(0))
        self.ddpsubmit("cancel", "last")
        self.assertGreater(self.stop_step(), 0)
        self.assertTrue((self.run_folder / "output" / "last.ckpt").exists())

    def test_transformers(self):
        self.check_resume("Hugging Face Trainer", "for_transformers")

    def test_accelerate(self):
        self.check_resume("accelerate", "for_accelerate")

    def test_deepspeed(self):
        self.check_resume("DeepSpeed", "for_deepspeed")


@unittest.skipUnless(LAUNCHER == "slurm", "it is Slurm that requeues")
class LightningsOwnRequeue(Framework):
    def check_requeue(self, *settings, file="train.yaml"):
        self.start("Lightning's own requeue", "for_lightning", *settings, file=file)
        eventually(lambda: "\nstep 3\n" in self.output(0))
        self.reach_time_limit()
        self.assertIn("begins after step 0 SLURMEnvironment", self.output(0))
        self.assertRegex(self.output(1), r"begins after step [1-9]\d* SLURMEnvironment")

    def test_the_program_of_the_page(self):
        self.check_requeue("fault_tolerance=" + snippets("Lightning's own requeue")["yaml"].partition(": ")[2].strip())

    def test_a_batch_script(self):
        script = self.folder / "job.sbatch"
        script.write_text(
            "#!/bin/bash\n#SBATCH --job-name=fit\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n#SBATCH --time=30\n"
            "#SBATCH --signal=SIGUSR1@239\n#SBATCH --requeue\nsrun python train.py\n")
        self.ddpsubmit("import", script, "-o", "imported.yaml")
        self.check_requeue(file="imported.yaml")


if __name__ == "__main__":
    unittest.main()
