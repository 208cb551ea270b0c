"""The parts of Markdown that the checks of pages look at."""

import os
import re
from pathlib import Path

FENCE = re.compile(r" *(```+|~~~+)")
HEADING = re.compile(r"#{1,6} +(.*?)( +#+)? *$")
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^)\s>]+)>?(?: +\"[^\"]*\")?\)")
REFERENCE = re.compile(r" {0,3}\[[^\]]+\]: +<?([^\s>]+)")
CODE = re.compile(r"(`+)(?:(?!\1).)+\1")
ANCHOR = re.compile(r"<a [^>]*(?:id|name)=\"([^\"]+)\"")
SKIPPED = ("build", "runs")  # what git ignores at the top


def pages(root):
    """All pages of the repository, relative to its root."""
    found = []
    for folder, folders, files in os.walk(root):
        at_top = Path(folder) == root
        # Folders of tests and builds may vanish meanwhile: they are not entered.
        folders[:] = [name for name in folders if not name.startswith(".") and not (at_top and name in SKIPPED)]
        found += [(Path(folder) / name).relative_to(root) for name in files if name.endswith(".md")]
    return sorted(found)


def lines_outside_fences(path: Path):
    """(number, line) of what is not in a code block."""
    fence = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = FENCE.match(line)
        if fence:
            fence = None if match and match.group(1).startswith(fence) else fence
        elif match:
            fence = match.group(1)
        else:
            yield number, line


def links(path):
    """(number, target) of all links."""
    for number, line in lines_outside_fences(path):
        plain = CODE.sub(lambda code: "`" * len(code.group()), line)
        for match in [*LINK.finditer(plain), *REFERENCE.finditer(plain)]:
            yield number, match.group(1)


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.replace("*", "").lower()).replace(" ", "-")


def anchors(path):
    """All anchors of a page. A heading that a page has twice gets a number."""
    found, seen = set(), {}
    for _, line in lines_outside_fences(path):
        found.update(ANCHOR.findall(line))
        if heading := HEADING.match(line):
            name = slug(heading.group(1))
            count = seen.get(name, 0)
            seen[name] = count + 1
            found.add(f"{name}-{count}" if count else name)
    return found
