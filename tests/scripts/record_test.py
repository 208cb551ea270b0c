"""scripts/record: the screen that it keeps, and the picture that it draws of a small session."""

import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts/recording"))

from screen import Screen  # noqa: E402
from svg import pieces_of  # noqa: E402
from session import Frame  # noqa: E402

TEXT = "{http://www.w3.org/2000/svg}text"


def rows(screen):
    return ["".join(character for character, _ in line) for line in screen.lines]


def printed(text, columns=20, height=5):
    screen = Screen(columns, height)
    screen.feed(text)
    return screen


class Screens(unittest.TestCase):
    def test_wrap_and_scroll(self):
        screen = printed("abcdef\r\nx\r\ny", columns=4, height=2)
        self.assertEqual(rows(screen), ["abcd", "ef", "x", "y"])
        self.assertEqual(screen.top, 2)

    def test_rewrite_a_line(self):
        self.assertEqual(rows(printed("10%  left\r\x1b[K20%")), ["20%"])

    def test_have_colours(self):
        (line,) = printed("\x1b[1;31me\x1b[0mf").lines
        self.assertEqual(line, [("e", "bold red"), ("f", "")])

    def test_take_a_sequence_in_two_parts(self):
        screen = printed("a\x1b[3")
        screen.feed("1mb")
        self.assertEqual(screen.lines, [[("a", ""), ("b", "red")]])

    def test_begin_a_page_when_they_are_cleared(self):
        screen = printed("old\x1b[H\x1b[2Jnew")
        self.assertEqual((rows(screen), screen.page), (["new"], 1))


class Pieces(unittest.TestCase):
    def test_stay_while_a_line_grows_and_end_when_it_changes(self):
        frames = [Frame(time, "", 0, 0, (tuple((character, "") for character in text),), (0, 0)) for time, text in enumerate(["a", "ab", "c"])]
        found = [("".join(character for character, _ in piece.cells), piece.begin, piece.end) for piece in pieces_of(frames)]
        self.assertEqual(found, [("a", 0, 2), ("b", 1, 2), ("c", 2, None)])


class Record(unittest.TestCase):
    def record(self, *lines):
        """Plays them; what the program said, and the file that it wrote."""
        with tempfile.TemporaryDirectory() as folder:
            session, picture = Path(folder, "small.session"), Path(folder, "pictures/small.svg")
            session.write_text("\n".join(lines) + "\n")
            done = subprocess.run([REPOSITORY / "scripts/record", "/bin/true", f"--session={session}", f"--output={picture}"], capture_output=True, text=True)
            return done, picture.read_text() if picture.exists() else None

    def test_draws_what_a_command_has_printed(self):
        done, picture = self.record("title A greeting", "size 40 6", "caption Hello", "type echo 'one & two'", "fail false")
        self.assertEqual(done.returncode, 0, done.stderr)
        root = ET.fromstring(picture)
        texts = [element.text for element in root.iter(TEXT)]
        self.assertIn("one & two", texts)
        self.assertIn("Hello", texts)
        self.assertIn("prefers-reduced-motion", picture)
        self.assertNotIn("<script", picture)

    def test_acts_beside_a_command(self):
        done, picture = self.record('at "waiting" run touch go', "type echo waiting; until [ -e go ]; do sleep 0.1; done; echo gone")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(">gone<", picture)

    def test_a_command_that_fails_is_an_error_with_its_line(self):
        done, picture = self.record("# a comment", "type false")
        self.assertEqual(done.returncode, 1)
        self.assertIn("small.session: line 2: 'false' ended with 1", done.stderr)
        self.assertIsNone(picture)

    def test_a_text_that_never_comes_is_an_error(self):
        done, _ = self.record('at "never" run true', "type echo once")
        self.assertEqual(done.returncode, 1)
        self.assertIn("line 2: the screen never showed 'never'", done.stderr)

    def test_a_line_that_is_not_understood_is_an_error(self):
        done, _ = self.record("at once run true")
        self.assertIn("""line 1: 'at once run true' is not: at "TEXT" caption|run ARGUMENT""", done.stderr)


if __name__ == "__main__":
    unittest.main()
