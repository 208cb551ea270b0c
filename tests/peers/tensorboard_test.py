"""What `ddpsubmit export --tensorboard` and `train.log.tensorboard` write, read with the real TensorBoard."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tensorboard import context
from tensorboard.backend.event_processing import data_provider, event_accumulator, plugin_event_multiplexer
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2, backend_context, list_session_groups

from launch import DDPSUBMIT, HERE

# Attempt 0 logs 30 steps and fails; attempt 1 does the last 10 of them again, with other values.
PROGRAM = """
import sys, ddpsubmit
attempt = ddpsubmit.job().attempt
for step in range(21 if attempt else 1, 41):
    ddpsubmit.step(step, 40)
    ddpsubmit.log(loss=100 * attempt + step, perplexity=2 * step)
    if step == 30 and not attempt:
        sys.exit(1)
"""
TRAIN = {
    "max_steps": 20, "log": {"every_steps": 5, "tensorboard": True}, "optimizer": {"name": "sgd", "learning_rate": 0.01},
    "model": {"name": "mlp", "input_dim": 8, "hidden_dims": [4], "num_classes": 2},
    "data": {"name": "synthetic", "samples": 64, "features": 8, "num_classes": 2, "batch_size": 8}}


def read_scalars(folder):
    """{tag: [(step, value)]} of a folder, as TensorBoard has them."""
    events = event_accumulator.EventAccumulator(str(folder)).Reload()
    return {tag: [(each.step, each.value) for each in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def read_hparams(folder):
    """The rows of the HParams tab."""
    multiplexer = plugin_event_multiplexer.EventMultiplexer().AddRunsFromDirectory(str(folder))
    multiplexer.Reload()
    provider = data_provider.MultiplexerDataProvider(multiplexer, str(folder))
    tab = backend_context.Context(base_plugin.TBContext(data_provider=provider, logdir=str(folder)))
    request = context.RequestContext()
    experiment = tab.experiment_from_metadata(
        request, "", True, tab.hparams_metadata(request, ""), tab.hparams_from_data_provider(request, "", limit=None))
    wanted = api_pb2.ListSessionGroupsRequest(
        allowed_statuses=[api_pb2.STATUS_SUCCESS], start_index=0, slice_size=10,
        col_params=[api_pb2.ColParams(metric=metric.name) for metric in experiment.metric_infos])
    handler = list_session_groups.Handler(request_context=request, backend_context=tab, experiment_id="", request=wanted)
    return experiment, handler.run().session_groups


class Tensorboard(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def ddpsubmit(self, *words):
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        done = subprocess.run([DDPSUBMIT, *map(str, words)], capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def run_file(self, config):
        path = self.folder / "run.yaml"
        path.write_text(json.dumps({"launcher": "local", "run_root": str(self.folder / "runs"), **config}))
        self.ddpsubmit("run", path)
        (folder,) = (self.folder / "runs").iterdir()
        return folder

    def test_a_restart_leaves_neither_gaps_nor_doubles(self):
        run = self.run_file({
            "name": "restarted", "command": [sys.executable, "-c", PROGRAM], "fault_tolerance": {"max_restarts": 1},
            "environment": {"set": {"PYTHONPATH": str(HERE.parent.parent / "python")}}})
        expected = [(step, step if step <= 20 else 100 + step) for step in range(1, 41)]
        for _ in range(2):  # the second export replaces the first
            self.ddpsubmit("export", "last", "--tensorboard", self.folder / "tb")
            scalars = read_scalars(self.folder / "tb" / run.name)
            self.assertEqual(scalars["train/loss"], expected)
            self.assertEqual(scalars["train/perplexity"], [(step, 2 * step) for step in range(1, 41)])
        exported = json.loads(self.ddpsubmit("export", "last", "--json"))
        (loss,) = [series for series in exported["series"] if series["metric"] == "loss"]
        self.assertEqual(list(zip(loss["step"], loss["value"])), expected)

    def test_the_trainer_writes_what_an_export_writes(self):
        run = self.run_file({"name": "trained", "train": TRAIN})
        self.ddpsubmit("rerun", "last", "train.max_steps=40")
        written = read_scalars(run / "tensorboard")
        self.assertEqual([step for step, _ in written["train/loss"]], list(range(5, 45, 5)))
        self.assertIn("test/accuracy", written)
        self.ddpsubmit("export", "last", "--tensorboard", self.folder / "tb")
        self.assertEqual(written, read_scalars(self.folder / "tb" / run.name))

    def test_the_points_of_a_sweep_have_their_values(self):
        sweep = self.run_file({"name": "swept", "train": TRAIN, "sweep": {"train.optimizer.learning_rate": [0.01, 0.1]}})
        self.ddpsubmit("export", "last", "--tensorboard", self.folder / "tb")
        experiment, groups = read_hparams(self.folder / "tb")
        self.assertEqual([info.name for info in experiment.hparam_infos], ["train.optimizer.learning_rate"])
        self.assertIn("test/accuracy", [info.name.tag for info in experiment.metric_infos])
        values = {group.name: group.hparams["train.optimizer.learning_rate"].number_value for group in groups}
        self.assertEqual(values, {f"{sweep.name}/0": 0.01, f"{sweep.name}/1": 0.1})
        for group in groups:
            losses = [value for value in group.metric_values if value.name.tag == "train/loss"]
            self.assertEqual([value.training_step for value in losses], [20])


if __name__ == "__main__":
    unittest.main()
