import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from harness.environments import make_environment, packages_of, repack

MODULE = "greeting.py"
RECORD = [f"{MODULE},sha256=abc,1", "greeting-1.0.dist-info/METADATA,sha256=def,2", "greeting-1.0.dist-info/INSTALLER,,", "__pycache__/greeting.cpython-311.pyc,,",
          "greeting-1.0.dist-info/RECORD,,"]


class Environments(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.folder / "venv"], check=True)
        self.python = self.folder / "venv/bin/python"
        packages = packages_of(self.python)
        (packages / "greeting-1.0.dist-info").mkdir()
        for name, text in [(MODULE, "WORD = 'hello'\n"), ("greeting-1.0.dist-info/METADATA", "Name: greeting\n"), ("greeting-1.0.dist-info/INSTALLER", "pip\n"),
                           ("greeting-1.0.dist-info/RECORD", "\n".join(RECORD))]:
            (packages / name).write_text(text)
        (packages / "other.py").write_text("WORD = 'world'\n")

    def test_a_new_environment_sees_all_packages_but_those_that_are_to_be_installed(self):
        made = make_environment(self.folder / "made", self.python, ["greeting"])
        code = "import other; print(other.WORD); import greeting"
        done = subprocess.run([made, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "world\n")
        self.assertIn("No module named 'greeting'", done.stderr)

    def test_a_wheel_holds_what_it_held_before_it_was_installed(self):
        repack("greeting", self.python, self.folder)
        with zipfile.ZipFile(self.folder / "greeting-1.0-py3-none-any.whl") as wheel:
            self.assertEqual(sorted(wheel.namelist()), ["greeting-1.0.dist-info/METADATA", "greeting-1.0.dist-info/RECORD", MODULE])
            self.assertEqual(wheel.read("greeting-1.0.dist-info/RECORD").decode().splitlines(), [RECORD[0], RECORD[1], RECORD[4]])


if __name__ == "__main__":
    unittest.main()
