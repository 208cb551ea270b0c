"""folders.txt, and the files that an #include names."""

import re
from pathlib import Path

PARTS = ("jobenv", "cli", "trainer")
PUBLIC = ("jobenv/include", "trainer/include")  # what is included as "ddp/..."
INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')


def load_folders(path):
    """{folder: (line, [folder that it may include, ...])}, in the order of the file, the pure ones, and what is wrong with the file."""
    folders, pure, problems = {}, set(), []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        folder, _, below = line.partition(":")
        if folder.endswith(" (pure)"):
            folder = folder.removesuffix(" (pure)")
            pure.add(folder)
        for name in below.split():
            if name not in folders:
                problems.append(f"{path}:{number}: {folder} names {name}, which does not stand above it")
        folders[folder] = (number, below.split())
    return folders, pure, problems


def folder_of(file, folders):
    """The innermost folder of the file that the list has, by its name or by a *."""
    names = (name for folder in file.parents for name in (str(folder), str(folder.parent / "*")))
    return next((name for name in names if name in folders), None)


def included_file(root, file, name):
    """The file of this repository that the name stands for in `file`, or None."""
    places = [file.parent / name, Path(name), *(Path(public) / name for public in PUBLIC)]
    return next(((root / place).resolve().relative_to(root.resolve()) for place in places if (root / place).is_file()), None)


def files_included_by(root, file):
    """The files of this repository that `file` names in its #includes."""
    names = (match.group(1) for match in map(INCLUDE.match, (root / file).read_text().splitlines()) if match)
    return {target for target in (included_file(root, file, name) for name in names) if target}
