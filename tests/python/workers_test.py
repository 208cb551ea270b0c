"""Workers of a rank, when a stop sends its signals to every process of the job, and when the rank itself ends them."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import ddpsubmit
from rank_page import RankPage

PACKAGE = str(pathlib.Path(ddpsubmit.__file__).parent.parent)
PROGRAM = pathlib.Path(__file__).with_name('worker_rank.py')
STOP_SIGNALS = (signal.SIGTERM, signal.SIGUSR2)
ALL_METHODS = ('fork', 'spawn', 'forkserver')


class WorkersTest(unittest.TestCase):
    def setUp(self):
        self.page = RankPage()
        self.addCleanup(self.page.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = {**os.environ, 'PYTHONPATH': PACKAGE, 'DDPSUBMIT_PROGRESS_FD': str(self.page.descriptor),
                            'DDPSUBMIT_RUN_DIR': folder.name, 'DDPSUBMIT_STOP_SIGNAL': 'USR2'}

    def start(self, *words):
        return subprocess.Popen([sys.executable, PROGRAM, *words], env=self.environment, pass_fds=[self.page.descriptor],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def disturbed(self, *words, signals=STOP_SIGNALS):
        """Exit code, stdout and stderr of a rank whose job gets these signals. Its worker has ended then."""
        with self.start(*words) as rank:
            workers = [int(word) for word in rank.stdout.readline().split()]
            for number in signals:
                for pid in [*workers, rank.pid]:
                    os.kill(pid, number)
            out, err = rank.communicate('go on\n')
        if rank.returncode != -signal.SIGKILL:
            self.assertFalse(os.path.exists(f'/proc/{workers[0]}'), 'the worker has ended')
        return rank.returncode, out.split('\n')[:-1], err

    def assert_survives(self, *words):
        for ending, code, last in (('terminate', 0, ['0']), ('terminate a call', 0, ['0']), ('raise', 1, []), ('return', 0, [])):
            with self.subTest(words=words, ending=ending):
                returned, out, err = self.disturbed(*words, ending)
                self.assertEqual((returned, out), (code, ['True', *last]), err)
                self.assertEqual('ValueError: boom' in err, ending == 'raise', err)

    def test_a_worker_that_is_protected_ends_with_its_rank_alone(self):
        self.assert_survives('fork', 'each')

    def test_workers_of_each_start_method_are_protected_at_once(self):
        for method in ALL_METHODS:
            self.assert_survives(method, 'all')

    def test_a_worker_that_has_not_taken_a_signal_yet_still_learns_that_its_rank_ends_it(self):
        self.assertEqual(self.disturbed('fork', 'each', 'terminate while a signal waits')[1], ['True', '0'])

    def test_a_worker_without_protection_does_not_survive(self):
        for number in STOP_SIGNALS:
            self.assertEqual(self.disturbed('fork', 'none', 'terminate', signals=[number])[1], ['False', str(-number)])

    def test_a_worker_whose_rank_was_killed_after_a_stop_ends(self):
        for method in ALL_METHODS:
            with self.subTest(method):  # stdout of the rank is at its end when the worker has closed it, too
                self.assertEqual(self.disturbed(method, 'all', 'kill')[:2], (-signal.SIGKILL, ['True']))

    def test_what_a_worker_starts_gets_signals_as_before(self):
        for method in ALL_METHODS:
            with self.subTest(method):
                code, out, err = self.disturbed(method, 'all', 'children')
                self.assertEqual((code, out), (0, ['True', f'{[False] * 5} {-signal.SIGTERM}']), err)

    def test_a_program_that_ddpsubmit_has_not_started_is_left_alone(self):
        del self.environment['DDPSUBMIT_RUN_DIR'], self.environment['DDPSUBMIT_PROGRESS_FD']
        for protection in ('each', 'all'):
            self.assertEqual(self.disturbed('fork', protection, 'terminate', signals=[])[1], ['True', str(-signal.SIGTERM)])

    def test_a_pool_can_have_it_as_initializer(self):
        program = ('import ddpsubmit, multiprocessing, os, signal\n'
                   'with multiprocessing.get_context("fork").Pool(1, ddpsubmit.worker_init) as pool:\n'
                   '  pid = pool.apply(os.getpid)\n'
                   '  assert os.system(f"kill {pid}") == 0\n'
                   '  print(pool.apply(os.getpid) == pid)\n')
        done = subprocess.run([sys.executable, '-c', program], env=self.environment, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, 'True\n', done.stderr)

    def test_the_rank_itself_is_no_worker(self):
        program = 'import ddpsubmit, os; ddpsubmit.worker_init(); os.kill(os.getpid(), 15)'
        self.assertEqual(subprocess.run([sys.executable, '-c', program], env=self.environment).returncode, -signal.SIGTERM)


if __name__ == '__main__':
    unittest.main()
