import subprocess
import unittest
from unittest import mock

from harness import bench


def start(*argv):
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)


class Finish(unittest.TestCase):
    def test_returns_what_the_first_said(self):
        self.assertEqual(bench.finish([start("echo", "12.5"), start("echo", "7")]), "12.5")

    def test_a_failure_ends_the_measurement(self):
        with self.assertRaisesRegex(SystemExit, "false ended with 1"):
            bench.finish([start("true"), start("false")])

    def test_names_the_one_that_failed_where_another_waits_for_it(self):
        waits, failed = start("sleep", "600"), start("false")
        failed.wait()
        with mock.patch.object(bench, "LONGEST", 0.2), self.assertRaisesRegex(SystemExit, "false ended with 1"):
            bench.finish([waits, failed])
        self.assertIsNotNone(waits.returncode)

    def test_ends_those_that_wait_for_ever(self):
        waits = start("sleep", "600")
        with mock.patch.object(bench, "LONGEST", 0.2), self.assertRaises(subprocess.TimeoutExpired):
            bench.finish([waits])
        self.assertIsNotNone(waits.returncode)


if __name__ == "__main__":
    unittest.main()
