"""The learning rates that ddptrain reports against those of torch.optim.lr_scheduler."""

import json
import tempfile
import unittest
from pathlib import Path

import torch
from torch.optim import lr_scheduler

from launch import ddpsubmit_run

BASE_RATE = 0.05
EPOCHS = 6
STEPS_PER_EPOCH = 8
STEPS = EPOCHS * STEPS_PER_EPOCH


def stepped(make):
    """The rate of each step, by a scheduler that is stepped."""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=BASE_RATE)
    scheduler = make(optimizer)
    rates = []
    for _ in range(STEPS):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return rates


def by_epoch(make):
    """Likewise, of a scheduler that is stepped once an epoch."""
    rates = stepped(make)
    return [rates[step // STEPS_PER_EPOCH] for step in range(STEPS)]


class Schedules(unittest.TestCase):
    def rates_of(self, schedule):
        with tempfile.TemporaryDirectory() as folder:
            run_folder = ddpsubmit_run(Path(folder), {
                "name": "schedule",
                "train": {
                    "epochs": EPOCHS,
                    "model": {"name": "mlp", "input_dim": 4, "hidden_dims": [3]},
                    "data": {"name": "synthetic", "samples": 8 * STEPS_PER_EPOCH, "features": 4, "batch_size": 8},
                    "optimizer": {"name": "sgd", "learning_rate": BASE_RATE},
                    "schedule": schedule,
                    "log": {"every_steps": 1},
                },
            })
            records = [json.loads(line) for line in (run_folder / "metrics.jsonl").read_text().splitlines()]
            return [record["learning_rate"] for record in records if record["kind"] == "train"]

    def expect(self, schedule, expected):
        actual = self.rates_of(schedule)
        self.assertEqual(len(actual), STEPS)
        for step, (mine, theirs) in enumerate(zip(actual, expected)):
            self.assertLessEqual(abs(mine - theirs), 1e-12 * BASE_RATE, f"step {step}: {mine} and {theirs}")

    def test_step(self):
        self.expect({"name": "step", "step_size": 2, "gamma": 0.3}, by_epoch(lambda o: lr_scheduler.StepLR(o, 2, 0.3)))
        self.expect({"name": "step", "step_size": 5, "gamma": 0.3, "unit": "steps"}, stepped(lambda o: lr_scheduler.StepLR(o, 5, 0.3)))

    def test_multistep(self):
        self.expect({"name": "multistep", "milestones": [1, 4]}, by_epoch(lambda o: lr_scheduler.MultiStepLR(o, [1, 4])))
        self.expect({"name": "multistep", "milestones": [7, 30], "unit": "steps"}, stepped(lambda o: lr_scheduler.MultiStepLR(o, [7, 30])))

    def test_cosine(self):
        self.expect({"name": "cosine", "min_learning_rate": 0.01},
                    stepped(lambda o: lr_scheduler.CosineAnnealingLR(o, STEPS, 0.01)))

    def test_linear(self):
        self.expect({"name": "linear", "end_factor": 0.25},
                    stepped(lambda o: lr_scheduler.LinearLR(o, start_factor=1, end_factor=0.25, total_iters=STEPS)))

    def test_warm_up(self):
        def then(main):
            return lambda o: lr_scheduler.SequentialLR(
                o, [lr_scheduler.LinearLR(o, start_factor=0.2, total_iters=10), main(o)], milestones=[10])
        warmup = {"warmup_steps": 10, "warmup_start_factor": 0.2}
        self.expect({"name": "cosine", **warmup}, stepped(then(lambda o: lr_scheduler.CosineAnnealingLR(o, STEPS - 10))))
        self.expect({**warmup}, stepped(then(lambda o: lr_scheduler.ConstantLR(o, factor=1))))


if __name__ == "__main__":
    unittest.main()
