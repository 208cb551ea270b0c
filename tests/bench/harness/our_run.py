"""Runs of ddpsubmit: their configuration, and what their folder tells."""

import json
from datetime import datetime


def write_config(folder, name, launcher="local", **sections):
    """A configuration that makes its runs in folder/runs; returns its path. JSON is YAML."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / f"{name}.yaml"
    config.write_text(json.dumps({"name": name, "launcher": launcher, "run_root": str(folder / "runs"), **sections}))
    return config


def on_this_machine(ranks):
    return {"tasks_per_node": ranks, "cpus_per_task": 1}


def train_section(model, data, steps, **more):
    """A section `train` as the pairs have it: Adam, and no evaluation. `model`: a name, or as in the section; `more`: its other keys."""
    return {"seed": 42, "max_steps": steps, "model": {"name": model} if isinstance(model, str) else model,
            "optimizer": {"name": "adam", "learning_rate": 0.001}, "data": data, "evaluate": {"every_epochs": 0}, **more}


def fashion_mnist(raw, batch_size=64):
    return {"name": "fashion_mnist", "root": str(raw), "batch_size": batch_size}


def lines_of(file):
    """The whole lines of a file of JSON lines; none where there is no file."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text().splitlines() if line.endswith("}")]


def newest_run(folder):
    return max((folder / "runs").iterdir(), key=lambda run: run.stat().st_ctime_ns)


def metrics(run, kind=None):
    return [record for record in lines_of(run / "metrics.jsonl") if kind in (None, record["kind"])]


def events(run, event):
    """Of the ledgers of the run's heads."""
    return [line for file in run.glob("ledger/head*.jsonl") for line in lines_of(file) if line["event"] == event]


def seconds_of(record):
    """When it was written, since 1970."""
    return datetime.fromisoformat(record["time"].replace("Z", "+00:00")).timestamp()


def samples_per_second(run, warm_up):
    """Of the steps after the first `warm_up`. A record must end with step `warm_up`."""
    timed = [record for record in metrics(run, "train") if record["step"] > warm_up]
    return sum(record["samples"] for record in timed) / sum(record["samples"] / record["samples_per_second"] for record in timed)
