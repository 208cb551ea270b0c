"""docs/benchmarks.md, and the table of the README, from docs/benchmarks.json. Pure: the same JSON gives the same text."""

from . import rows

BEGIN, END = "<!-- table of scripts/bench: begin -->", "<!-- table of scripts/bench: end -->"
HEADER = ["| measurement | ddpsubmit | peer | its result | ratio | lowest to highest ratio | goal |", "|---|--:|---|--:|--:|--:|---|"]


def number(value, unit):
    return f"{digits(value)} {unit}"


def digits(value):
    """Three that count, or all before the point."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def amount(values, row):
    """The median, or what stands for it where there is none."""
    middle = rows.median(values)
    if middle is not None:
        return number(middle, row.unit)
    return "-" if row.patience is None else f"not within {row.patience:g} s"


def factor(value, row):
    if value is None:
        return "-"
    return f"{digits(value)} × {'faster' if row.ratio == 'speedup' else 'of it'}"


def spread(row):
    ratios = sorted(ratio for ratio in row.ratios() if ratio is not None)
    return f"{digits(ratios[0])} to {digits(ratios[-1])}" if ratios else "-"


def goal(row):
    if row.goal is None:
        return ""
    limit = row.goal.text() + (f" {row.unit}" if row.goal.kind == "below" else "")
    return f"{limit}: {'reached' if row.is_reached() else '**missed**'}"


def comparison_line(row):
    ratio = factor(row.median_ratio(), row)
    return f"| {row.what} | {amount(row.ours, row)} | {row.peer} | {amount(row.theirs, row)} | {ratio} | {spread(row)} | {goal(row)} |"


def comparison_table(found):
    return [*HEADER, *map(comparison_line, found)]


def growth_table(found):
    lines = []
    for row in found:
        sizes = [f"{size:,} {row.of}" for size, _ in row.points]
        growth = ", ".join(f"{each:.2f} ×" for each in row.per_doubling())
        lines += [f"| {row.what} | {' | '.join(sizes)} | for each doubling | goal |", f"|---|{'--:|' * len(sizes)}---|---|",
                  f"| | {' | '.join(number(middle, row.unit) for _, middle in row.medians())} | {growth} | {goal(row)} |", ""]
    return lines


def rows_of(pair):
    return [rows.from_json(record) for record in pair["rows"]]


def turns_of(row):
    return len(row.ours if isinstance(row, rows.Comparison) else row.points[0][1])


def missed(pairs):
    return [row for pair in pairs for row in rows_of(pair) if row.is_reached() is False]


def section(pair):
    lines = [f"## {pair['title']}", "", pair["about"], ""]
    if pair.get("skipped"):
        return [*lines, f"Not measured: {pair['skipped']}.", ""]
    found = rows_of(pair)
    comparisons = [row for row in found if isinstance(row, rows.Comparison)]
    lines += [*comparison_table(comparisons), ""] if comparisons else []
    lines += growth_table([row for row in found if isinstance(row, rows.Growth)])
    return [*lines, f"`./scripts/bench {pair['name']}`; {max(map(turns_of, found), default=0)} turns, {pair['seconds']:.0f} s in all.", ""]


def machine_line(machine):
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (f"{machine['processor']}, {machine['cpus']} CPUs, {machine['memory_gib']} GiB, {machine['gpu'] or 'no GPU'}, Linux {machine['kernel']}; {versions}; "
            f"commit {machine['commit']}")


def measured_lines(pairs):
    """One line for all pairs of the same machine, versions and commit."""
    groups = {}
    for pair in pairs:
        groups.setdefault(machine_line(pair["machine"]), []).append(pair)
    return [f"- {', '.join(pair['name'] for pair in group)}: {min(pair['measured'] for pair in group)} to {max(pair['measured'] for pair in group)} UTC, {line}."
            for line, group in groups.items()]


def missed_lines(pairs):
    lines = [f"- **{row.what}**{against(row)}: {row.goal.missed or 'not yet explained.'}" for row in missed(pairs)]
    return ["## What is not reached", "", *(lines or ["All goals are."]), ""]


def against(row):
    return f" (against {row.peer})" if isinstance(row, rows.Comparison) else ""


def render_page(report):
    """The whole of docs/benchmarks.md."""
    pairs = report["pairs"]
    lines = ["# Benchmarks", "",
             "Written by `./scripts/bench` from [benchmarks.json](benchmarks.json), which holds the numbers of every turn; nothing here is typed by hand. "
             "To repeat all of it: `./scripts/bench`, 40 minutes on two CPUs, with 5 GB for the peers and, for the pairs on Slurm and on ssh hosts, as root; it replaces all of this page. One part: "
             "`./scripts/bench NAME`, which replaces its section. Where the time goes is in [performance.md](performance.md).", "",
             "The sides run one after the other in turns, after a turn to warm up. Where both train, they do the same work: the same model, data, batch size, seed, threads and ranks; what another "
             "peer does stands in its section. A number is the median of the turns; the ratio is that of the medians, and beside it stand the lowest and the highest ratio of a turn. *Faster*: their time over ours, or our rate over theirs. *Of it*: ours over theirs. The goals stood before anything was measured.", "",
             *measured_lines(pairs), "", *missed_lines(pairs)]
    for pair in pairs:
        lines += section(pair)
    return "\n".join(lines).rstrip() + "\n"


def render_headlines(report):
    """What stands between the marks in the README."""
    found = [row for pair in report["pairs"] for row in rows_of(pair) if isinstance(row, rows.Comparison) and row.headline]
    lines = ["| measurement | ddpsubmit | peer | its result | ratio |", "|---|--:|---|--:|--:|"]
    lines += [f"| {row.what} | {amount(row.ours, row)} | {row.peer} | {amount(row.theirs, row)} | {factor(row.median_ratio(), row)} |" for row in found]
    machines = sorted({f"{pair['machine']['cpus']} CPUs of an {pair['machine']['processor']}" for pair in report["pairs"] if not pair.get("skipped")})
    return "\n".join([*lines, "", f"Medians of turns, both sides one after the other, on {'; '.join(machines)}."])


def replace_headlines(readme, report):
    """The README with the table of the report between its marks."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the README has no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{render_headlines(report)}\n{END}{after}"
