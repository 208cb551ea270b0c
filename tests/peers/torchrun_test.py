"""The same lines under torchrun and under `ddpsubmit torchrun`: what ranks are told, and process groups by env://."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent
DDPSUBMIT = os.environ["DDPSUBMIT"]
SHOW_START = HERE.parent / "support" / "show_start.py"
# The store is served by rank 0 under ddpsubmit, and by the agent under torchrun.
OF_EACH_RUN = {"MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_ERROR_FILE", "TORCHELASTIC_USE_AGENT_STORE"}

SUM = """
import os
import sys
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
value = torch.tensor([dist.get_rank() + 1.0])
dist.all_reduce(value)
with open(os.path.join(sys.argv[1], f"sum.{dist.get_rank()}"), "w") as file:
    file.write(f"{value.item():.0f} of {dist.get_world_size()}, {torch.get_num_threads()}")
dist.destroy_process_group()
"""

RECORD = """
from torch.distributed.elastic.multiprocessing.errors import record

@record
def main():
    raise ValueError("no such batch")

main()
"""


class Torchrun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, starter, words, **environment):
        inherited = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
        variables = {"XDG_STATE_HOME": str(self.folder / "state"), "PYTHON_EXEC": sys.executable}
        return subprocess.run([*starter, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              env={**inherited, **variables, **environment}, check=False)

    def torchrun(self, words, **environment):
        return self.start([sys.executable, "-m", "torch.distributed.run"], words, **environment)

    def ddpsubmit(self, words, **environment):
        return self.start([DDPSUBMIT, "torchrun"], words, **environment)

    def started(self, starter, options, arguments, ranks, **environment):
        out = self.folder / "out"
        done = starter([*options, SHOW_START, "--", out, *arguments], **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        starts = [json.loads((out / f"start.{rank}.json").read_text()) for rank in range(ranks)]
        for start in starts:
            self.assertTrue(all(start["environment"][name] for name in OF_EACH_RUN), start)
            for name in OF_EACH_RUN:
                del start["environment"][name]
        return starts

    def test_ranks_are_told_the_same(self):
        arguments = ["--lr", "0.1", "--json", "a b", "$$x", "--", "--nnodes=2"]
        for options, environment in [
                (["--nproc-per-node=3"], {}),
                (["--nproc_per_node", "2", "--max_restarts=4", "--role", "worker"], {}),
                (["--nproc-per-node=2", "--rdzv-backend=static", "-t3", "--log-dir", self.folder / "logs"], {"OMP_NUM_THREADS": "2"}),
                (["--nnode=1", "--standalone"], {"PET_NPROC_PER_NODE": "2", "TORCH_NCCL_ASYNC_ERROR_HANDLING": "3"})]:
            ranks = 3 if "--nproc-per-node=3" in options else 2
            with self.subTest(options=options):
                theirs = self.started(self.torchrun, options, arguments, ranks, **environment)
                ours = self.started(self.ddpsubmit, options, arguments, ranks, **environment)
                self.assertEqual(ours, theirs)

    def test_a_process_group_by_the_environment(self):
        script = self.folder / "sum.py"
        script.write_text(SUM)
        for ranks, total in [(1, 1), (3, 6)]:
            done = self.ddpsubmit(["--standalone", f"--nproc-per-node={ranks}", script, self.folder])
            self.assertEqual(done.returncode, 0, done.stderr)
            for rank in range(ranks):
                words = (self.folder / f"sum.{rank}").read_text()
                self.assertTrue(words.startswith(f"{total} of {ranks}, "), words)
                if ranks > 1:
                    self.assertTrue(words.endswith(", 1"), words)

    def test_the_exception_of_record_is_in_the_run_folder(self):
        script = self.folder / "record.py"
        script.write_text(RECORD)
        done = self.ddpsubmit([script])
        self.assertEqual(done.returncode, 1)
        (file,) = self.folder.glob("runs/*/logs/attempt-0/rank-0.error.json")
        self.assertEqual(json.loads(file.read_text())["message"]["message"], "ValueError: no such batch")


if __name__ == "__main__":
    unittest.main()
