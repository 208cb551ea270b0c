"""docs/benchmarks.md, and the table of the README, from docs/benchmarks.json. Pure: the same JSON gives the same text."""

import textwrap

from . import rows

BEGIN, END = "<!-- table of scripts/bench: begin -->", "<!-- table of scripts/bench: end -->"
HEADLINES = ["| measurement | ddpsubmit | compared with | result | ddpsubmit is |", "|---|--:|---|--:|--:|"]
HEADER = ["| measurement | ddpsubmit | compared with | result | ddpsubmit is | range over the turns | goal |", "|---|--:|---|--:|--:|--:|---|"]
WIDTH = 120


def wrapped(text, indent=""):
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def number(value, unit):
    return f"{digits(value)} {unit}"


MOST_DIGITS = 9


def digits(value, more=0):
    """Three that count, or all before the point; and `more` behind the point."""
    behind = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{behind + more}f}"


def more_digits(value, limit):
    """How many more digits it takes to see that `value` is not `limit`; 0: that cannot be seen, or needs no more."""
    return next((more for more in range(MOST_DIGITS) if digits(value, more) != digits(limit, more)), 0)


def amount(values, row):
    """The median, or what stands for it where there is none."""
    middle = rows.median(values)
    if middle is not None:
        return number(middle, row.unit)
    return "-" if row.patience is None else f"not within {row.patience:g} s"


def words(row):
    """What ddpsubmit is if it is better, if it is worse, and if neither."""
    return ("less memory", "more memory", "equal") if row.unit == "MiB" else ("faster", "slower", "equally fast")


def verdict(advantage, row, more=0):
    """`advantage`: how many times better ddpsubmit is; below 1 it is worse."""
    better, worse, equal = words(row)
    size = digits(max(advantage, 1 / advantage), more)
    return equal if size == digits(1, more) else f"{size} × {better if advantage > 1 else worse}"


def comparison(row):
    advantage = row.median_advantage()
    return "-" if advantage is None else verdict(advantage, row, digits_of_goal(row))


def spread(row):
    """From the turn that is worst for ddpsubmit to the one that is best; from the smaller number where it is worse in all of them."""
    advantages = sorted(advantage for advantage in row.advantages() if advantage is not None)
    if not advantages:
        return "-"
    first, last = (verdict(advantages[turn], row) for turn in (0, -1))
    if first == last:
        return first
    (first_size, _, first_word), (last_size, _, last_word) = first.partition(" × "), last.partition(" × ")
    if first_word != last_word:
        return f"{first} to {last}"
    sizes = (first_size, last_size) if advantages[0] > 1 else (last_size, first_size)
    return f"{' to '.join(sizes)} × {first_word}"


def least_advantage(row):
    """What the goal of a comparison asks for; None: it asks for something else."""
    if row.goal is None or row.goal.kind not in ("speedup", "share"):
        return None
    return row.goal.limit if row.goal.kind == "speedup" else 1 / row.goal.limit


def digits_of_goal(row):
    """How many more digits show that a goal is missed. A goal that is reached needs none."""
    least, advantage = least_advantage(row), row.median_advantage()
    if least is None or advantage is None or row.is_reached():
        return 0
    if (least < 1) != (advantage < 1):
        return 0 if least != 1 else more_digits(1 / advantage, 1)
    return more_digits(max(advantage, 1 / advantage), max(least, 1 / least))


def goal_text(row):
    goal = row.goal
    if goal.kind == "below":
        return f"below {goal.limit:g} {row.unit}"
    if goal.kind == "doubling":
        return f"at most {goal.limit:g} × for each doubling"
    better, worse, _ = words(row)
    least = least_advantage(row)
    if least == 1:
        return f"not {worse}"
    size = f"{max(least, 1 / least):.{3 + digits_of_goal(row)}g}"
    return f"at least {size} × {better}" if least > 1 else f"at most {size} × {worse}"


def goal(row):
    return "" if row.goal is None else f"{goal_text(row)}: {'reached' if row.is_reached() else '**missed**'}"


def headline(row):
    return f"| {row.what} | {amount(row.ours, row)} | {row.peer} | {amount(row.theirs, row)} | {comparison(row)} |"


def comparison_table(found):
    return [*HEADER, *(f"{headline(row)} {spread(row)} | {goal(row)} |" for row in found)]


def growth_table(found):
    lines = []
    for row in found:
        sizes = [f"{size:,} {row.of.removesuffix('s') if size == 1 else row.of}" for size, _ in row.points]
        factors = row.per_doubling()
        more = more_digits(max(factors), row.goal.limit) if row.is_reached() is False else 0
        growth = ", ".join(f"{each:.{2 + more}f} ×" for each in factors)
        lines += [f"| {row.what} | {' | '.join(sizes)} | growth for each doubling | goal |", f"|---|{'--:|' * len(sizes)}---|---|",
                  f"| | {' | '.join(number(middle, row.unit) for _, middle in row.medians())} | {growth} | {goal(row)} |", ""]
    return lines


def rows_of(pair):
    return [rows.from_json(record) for record in pair["rows"]]


def turns_of(row):
    return len(row.ours if isinstance(row, rows.Comparison) else row.points[0][1])


def missed(pairs):
    return [row for pair in pairs for row in rows_of(pair) if row.is_reached() is False]


def section(pair):
    lines = [f"## {pair['title']}", ""]
    for paragraph in pair["about"].split("\n\n"):
        lines += [wrapped(" ".join(paragraph.split())), ""]
    if pair.get("skipped"):
        return [*lines, f"Not measured: {pair['skipped']}.", ""]
    found = rows_of(pair)
    comparisons = [row for row in found if isinstance(row, rows.Comparison)]
    lines += [*comparison_table(comparisons), ""] if comparisons else []
    lines += growth_table([row for row in found if isinstance(row, rows.Growth)])
    return [*lines, f"Repeat with `./scripts/bench {pair['name']}`: {max(map(turns_of, found), default=0)} turns, {pair['seconds']:.0f} s in all.", ""]


def machine_line(machine):
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (f"{machine['processor']}, {machine['cpus']} CPUs, {machine['memory_gib']} GiB, {machine['gpu'] or 'no GPU'}, Linux {machine['kernel']}; {versions}; "
            f"commit {machine['commit']}")


def measured_lines(pairs):
    """One line for all pairs of the same machine, versions and commit."""
    groups = {}
    for pair in pairs:
        groups.setdefault(machine_line(pair["machine"]), []).append(pair)
    return [wrapped(f"- {', '.join(pair['name'] for pair in group)}: {period(group)}, {line}.", "  ") for line, group in groups.items()]


def period(pairs):
    times = [pair["measured"] for pair in pairs]
    return f"{min(times)} to {max(times)} UTC" if min(times) != max(times) else f"{min(times)} UTC"


def missed_lines(pairs):
    lines = [wrapped(f"- **{row.what}**{against(row)}: {row.goal.missed or 'not yet explained.'}", "  ") for row in missed(pairs)]
    return ["## Goals that are missed", "", *(lines or ["None."]), ""]


def against(row):
    return f" (compared with {row.peer})" if isinstance(row, rows.Comparison) else ""


INTRODUCTION = """
`./scripts/bench` writes this page from [benchmarks.json](benchmarks.json), which holds the numbers of every turn. No number here is typed by hand.

To repeat all measurements, run `./scripts/bench`. It needs 5 GB for the baselines, and replaces this whole page; the measurements on it took {minutes} minutes. The
measurements on Slurm and on ssh hosts need root. `./scripts/bench NAME` repeats one measurement and replaces its section.
[performance.md](performance.md) shows where the time goes.

Each section compares ddpsubmit with one or more baselines: other tools that do the same work. Where both sides train, they use the same model, data,
batch size, seed, number of threads and number of ranks. Otherwise the section says what the baseline does. Both sides run one after the other, in
turns, after one turn that warms up and is not counted.

Each number is the median of the turns. *10 × faster* means: the baseline takes 10 times as long, or ddpsubmit processes 10 times as many samples per
second. *10 × less memory* means: the baseline needs 10 times as much. *Slower* and *more memory* mean the opposite. The *range over the turns* goes from the worst single turn for ddpsubmit to the best one, or from the smaller number to the larger. The goals were set before the first measurement.
"""


def render_page(report):
    """The whole of docs/benchmarks.md."""
    pairs = report["pairs"]
    lines = ["# Benchmarks", ""]
    minutes = round(sum(pair["seconds"] for pair in pairs) / 60)
    for paragraph in INTRODUCTION.strip().format(minutes=minutes).split("\n\n"):
        lines += [wrapped(paragraph), ""]
    lines += ["Measured:", "", *measured_lines(pairs), "", *missed_lines(pairs)]
    for pair in pairs:
        lines += section(pair)
    return "\n".join(lines).rstrip() + "\n"


def render_headlines(report):
    """What stands between the marks in the README."""
    found = [row for pair in report["pairs"] for row in rows_of(pair) if isinstance(row, rows.Comparison) and row.headline]
    machines = sorted({f"{pair['machine']['cpus']} CPUs of an {pair['machine']['processor']}" for pair in report["pairs"] if not pair.get("skipped")})
    lines = [*HEADLINES, *map(headline, found), "", wrapped(f"Medians of several turns, both sides one after the other, on {'; '.join(machines)}.")]
    return "\n".join([*lines, *note_lines(report)])


def note_lines(report):
    """Each note once, in the order of the pairs."""
    notes = dict.fromkeys(pair.get("note") for pair in report["pairs"])
    return [line for note in notes if note for line in ("", wrapped(note))]


def replace_headlines(readme, report):
    """The README with the table of the report between its marks."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the README has no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{render_headlines(report)}\n{END}{after}"
