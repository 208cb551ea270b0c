"""Python environments as users have them before they install something, and wheels to install without a network."""

import csv
import subprocess
import zipfile
from pathlib import Path


def packages_of(python):
    """Where that Python has its packages."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.check_output([str(python), "-c", code], text=True).strip())


def make_environment(folder, python, without):
    """A new one that has the packages of `python`, as links, but for those whose names begin with a word of `without`. Returns its Python."""
    subprocess.run([str(python), "-m", "venv", str(folder)], check=True)
    made = folder / "bin/python"
    target = packages_of(made)
    for package in packages_of(python).iterdir():
        link = target / package.name
        if not link.exists() and not package.name.startswith(tuple(without)):
            link.symlink_to(package)
    return made


def repack(name, python, folder):
    """Writes the wheel of a package of pure Python that `python` has, as it was before it was installed."""
    (info,) = packages_of(python).glob(f"{name}-*.dist-info")
    record = [row for row in csv.reader((info / "RECORD").read_text().splitlines()) if is_of_wheel(Path(row[0]))]
    with zipfile.ZipFile(folder / f"{info.stem}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, *_ in record:
            if not path.endswith("/RECORD"):
                wheel.write(info.parent / path, path)
        wheel.writestr(f"{info.name}/RECORD", "".join(",".join(row) + "\n" for row in record))


def is_of_wheel(path):
    """Not what pip adds."""
    return "__pycache__" not in path.parts and path.name not in ("INSTALLER", "REQUESTED", "direct_url.json")
