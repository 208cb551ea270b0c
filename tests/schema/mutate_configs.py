#!/usr/bin/python3
"""Configurations, and mutations of them, judged by `ddpsubmit validate` and by the JSON Schema of `ddpsubmit schema`.

usage: mutate_configs.py DDPSUBMIT COUNT FILE...

Each FILE has to be valid by the schema. A mutation is written beside its file. What ddpsubmit accepts the schema has to accept. An error
of one key (its name, the type of its value, its range, its words) the schema has to find, too. What only several keys together say is
ddpsubmit's alone; so is what the schema cannot tell (see cannot_tell). The end prints how many mutations of each kind were which.
"""

import collections
import copy
import json
import pathlib
import random
import re
import subprocess
import sys

import jsonschema
import yaml

ONE_KEY = re.compile(r"unknown key|must be .*, not |cannot be '|is not available in this version|needs a list of values|"
                     r"an empty path|variables are not expanded|cannot differ between the points")
# What these change is at one key, and wrong at it if anything is. A key that is gone, or null, may leave others without their meaning.
AT_ONE_KEY = {"renamed key", "other type", "out of range", "other word", "unknown option", "nested", "unknown section"}


class Yaml12Loader(yaml.SafeLoader):
    """YAML 1.2, as editors and ddpsubmit read it: `off` is a text, and so is 02:00:00."""


Yaml12Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in [("null", r"~|null|Null|NULL|", "~nN\0"), ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
                            ("int", r"[-+]?[0-9]+", "-+0123456789"),
                            ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789")]:
    Yaml12Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), [*first, ""])
Yaml12Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(loader.construct_scalar(node)))
Yaml12Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(loader.construct_scalar(node)))


def load(file):
    return yaml.load(file.read_text(), Yaml12Loader) or {}


def places_in(value, path=()):
    """Of all keys and items, as paths."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places_in(inner, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def rename_key(chance, config, path):
    container, key = at(config, path[:-1]), path[-1]
    if isinstance(key, int) or path[:-1] in FREE_MAPS:
        return None
    container[chance.choice([key + "s", key[1:] + "x", key.upper() + "_", "x" + key])] = container.pop(key)
    return "renamed key"


def change_type(chance, config, path):
    others = [7, 0.25, True, "word", [], ["a"], [[1]], {}, {"a": 1}]
    value = at(config, path)
    others = [other for other in others if type(other) is not type(value)]
    at(config, path[:-1])[path[-1]] = chance.choice(others)
    return "other type"


def leave_range(chance, config, path):
    value = at(config, path)
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        other = chance.choice([-1, 0, -0.5, 10**10, 2**62, 1e300, value + 0.5])
    elif isinstance(value, str) and re.fullmatch(r"\d+(:\d+)*[smhdGiB]*", value):
        other = chance.choice(["0s", "5", 5, "1w", "-1s", "1.5GiB", "3XB", "1s1h", "00:00"])
    else:
        return None
    at(config, path[:-1])[path[-1]] = other
    return "out of range"


def change_word(chance, config, path):
    value = at(config, path)
    if not isinstance(value, str):
        return None
    at(config, path[:-1])[path[-1]] = chance.choice([value + "x", "sideways", value.upper(), "", "$HOME/x", "MPI", "TERM", "power_sgd"])
    return "other word"


def add_option(chance, config, path):
    section = at(config, path)
    if not isinstance(section, dict) or path in FREE_MAPS:
        return None
    section[chance.choice(["surprise", "depth", "lr", "betas", "port", "momentum", "gamma", "hidden_dims"])] = chance.choice([1, 0.5, "x"])
    return "unknown option"


def add_section(chance, config, path):
    config[chance.choice(["trains", "resource", "env", "optimizer", "model", "ddp"])] = {"a": 1}
    return "unknown section"


def nest(chance, config, path):
    value = at(config, path)
    at(config, path[:-1])[path[-1]] = chance.choice([{path[-1] if isinstance(path[-1], str) else "a": value}, [value]])
    return "nested"


def delete(chance, config, path):
    del at(config, path[:-1])[path[-1]]
    return "deleted"


def make_null(chance, config, path):
    at(config, path[:-1])[path[-1]] = None
    return "null"


def repeat(chance, config, path):
    """Another value of the same type: most are good."""
    value = at(config, path)
    other = {bool: not value, int: value if isinstance(value, list) else 1, float: 0.125, str: "auto"}.get(type(value))
    if other is None or isinstance(value, (list, dict)):
        return None
    at(config, path[:-1])[path[-1]] = other
    return "same type"


FREE_MAPS = {("args",), ("environment", "set"), ("slurm", "options"), ("slurm", "srun_options"), ("sweep", "environment", "set")}
MUTATIONS = [rename_key, change_type, leave_range, change_word, add_option, add_section, nest, delete, make_null, repeat]


def mutate(chance, config, kind):
    """A copy with one change, what was done, and where."""
    for _ in range(100):
        changed = copy.deepcopy(config)
        path = chance.choice(list(places_in(config)))
        done = kind(chance, changed, path)
        if done:
            return changed, done, path
    return None


def judge(ddpsubmit, file):
    """The messages of what is wrong with the file; what this machine lacks (exit 10) does not count."""
    answer = subprocess.run([ddpsubmit, "validate", file.name, "--json"], cwd=file.parent, capture_output=True, text=True, check=False)
    if answer.returncode in (0, 10):
        return []
    if answer.returncode != 3:
        sys.exit(f"validate ends with {answer.returncode}: {answer.stdout}{answer.stderr}\n{file.read_text()}")
    return [error["message"] for error in json.loads(answer.stdout)["errors"]]


def cannot_tell(config, path, messages):
    """Why the schema need not find it; None: it must."""
    value = None
    try:
        value = at(config, path)
    except (KeyError, IndexError, TypeError):
        pass
    if any(re.search(r"must be between \d+[smhd].* and \d+d", message) for message in messages) and isinstance(value, str):
        return "too long a duration"
    if path and path[-1] == "setup" and isinstance(value, str):
        return "a text that may stand behind a '|'"
    if isinstance(value, float) and value.is_integer():
        return "an integer with a decimal point"
    if own_program(config):
        return "components of another program"
    return None


def own_program(config):
    train = config.get("train")
    return isinstance(train, dict) and train.get("program", "ddptrain") not in ("ddptrain", None)


def axes_of(sweep, prefix=""):
    for key, value in sweep.items() if isinstance(sweep, dict) else ():
        if isinstance(value, dict):
            yield from axes_of(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}."


def is_swept(config, path):
    """Whether ddpsubmit never sees the value there: each point of the sweep has another one."""
    place = "".join(f"{key}." for key in path)
    return any(axis.startswith(place) or place.startswith(axis) for axis in axes_of(config.get("sweep")))


class Court:
    def __init__(self, ddpsubmit):
        self.ddpsubmit = ddpsubmit
        schema = json.loads(subprocess.run([ddpsubmit, "schema"], capture_output=True, text=True, check=True).stdout)
        jsonschema.Draft7Validator.check_schema(schema)
        self.validator = jsonschema.Draft7Validator(schema)
        self.counts = collections.defaultdict(collections.Counter)
        self.wrong = []

    def schema_errors(self, config):
        return [f"{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in self.validator.iter_errors(config)]

    def try_mutation(self, name, changed, done, path, scratch):
        scratch.write_text(json.dumps(changed))
        messages, found = judge(self.ddpsubmit, scratch), self.schema_errors(changed)
        of_one_key = [message for message in messages if ONE_KEY.search(message)]
        excuse = cannot_tell(changed, path, messages)
        if not messages and not found:
            verdict = "accepted by both"
        elif not messages:
            verdict = "the sweep replaces it: the schema alone" if is_swept(changed, path) else "WRONG: only the schema refuses"
        elif found:
            verdict = "refused by both"
        elif not of_one_key:
            verdict = "several keys: ddpsubmit alone"
        elif done not in AT_ONE_KEY:
            verdict = "needs a key that is gone: ddpsubmit alone"
        else:
            verdict = f"{excuse}: ddpsubmit alone" if excuse else "WRONG: only ddpsubmit refuses"
        self.counts[done][verdict] += 1
        if verdict.startswith("WRONG"):
            self.wrong.append(f"{name}: {done} at {'.'.join(map(str, path))}: {verdict}\n  ddpsubmit: {messages}\n  schema: {found}\n"
                              f"  {json.dumps(changed)[:1500]}")


def main():
    ddpsubmit, count, files = sys.argv[1], int(sys.argv[2]), [pathlib.Path(file) for file in sys.argv[3:]]
    court, chance = Court(ddpsubmit), random.Random(20)
    configs = [(file, load(file)) for file in files]
    invalid = [f"{file}: {error}" for file, config in configs for error in court.schema_errors(config)]
    if invalid:
        sys.exit("\n".join(invalid))
    print(f"{len(files)} files are valid by the schema")
    usable = [(file, config) for file, config in configs if config and not judge(ddpsubmit, file)]
    print(f"{len(usable)} of them are whole: these are mutated")
    for number in range(count):
        file, config = chance.choice(usable)
        mutation = mutate(chance, config, MUTATIONS[number % len(MUTATIONS)])
        if mutation:
            court.try_mutation(file.name, *mutation, file.with_name(f"mutated_{file.name}"))
    report(court, count)


def report(court, count):
    total = collections.Counter()
    for done, verdicts in sorted(court.counts.items()):
        total.update(verdicts)
        for verdict, times in sorted(verdicts.items()):
            print(f"{times:5}  {done}: {verdict}")
    print(f"{sum(total.values()):5}  mutations, of which {total['accepted by both']} are accepted by both, "
          f"{total['refused by both']} refused by both")
    if court.wrong:
        sys.exit("\n".join(court.wrong[:20]) + f"\n{len(court.wrong)} are wrong")
    enough = {"accepted by both": count // 10, "refused by both": count // 3, "several keys: ddpsubmit alone": count // 100}
    for verdict, least in enough.items():
        if total[verdict] < least:
            sys.exit(f"only {total[verdict]} mutations are '{verdict}': fewer than {least} say little")


if __name__ == "__main__":
    main()
