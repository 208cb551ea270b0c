"""The functions that a rank calls, against a page of its own. Of the standard library alone, as the package is."""
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import ddpsubmit
from ddpsubmit._job import read_job
from ddpsubmit._page import open_page
from ddpsubmit._rank import Rank
from rank_page import HOLD, NO_STOP, RankPage


os.environ['PYTHONPATH'] = str(pathlib.Path(ddpsubmit.__file__).parent.parent)  # of the programs that are run here


class RankTest(unittest.TestCase):
    def setUp(self):
        for name in ('TERM', 'USR2'):
            self.addCleanup(signal.signal, getattr(signal, 'SIG' + name), signal.getsignal(getattr(signal, 'SIG' + name)))
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.page = RankPage()
        self.addCleanup(self.page.close)
        self.environment = {'DDPSUBMIT_PROGRESS_FD': str(self.page.descriptor), 'DDPSUBMIT_RUN_DIR': self.folder.name,
                            'DDPSUBMIT_ATTEMPT': '2', 'DDPSUBMIT_RANK': '0', 'DDPSUBMIT_WORLD_SIZE': '4'}
        self.rank = self.make_rank()

    def make_rank(self, **changes):
        environment = {**self.environment, **changes}
        return Rank(open_page(environment), read_job(environment))

    def records(self):
        file = pathlib.Path(self.folder.name, 'metrics.jsonl')
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


class StackTest(RankTest):
    PROGRAM = """
import os, signal, ddpsubmit
from ddpsubmit import _page
print(ddpsubmit._rank.rank._page.halves[_page.STACK_SIGNAL], ddpsubmit._rank.rank._page.halves[_page.STACK_DESCRIPTOR], flush=True)
def waits_for_its_peers():
    os.read(0, 1)
waits_for_its_peers()
print('goes on')
"""

    def test_a_rank_writes_its_stack_at_the_signal_that_its_page_names(self):
        environment = {**os.environ, **self.environment}
        with subprocess.Popen([sys.executable, '-c', self.PROGRAM], env=environment, pass_fds=[self.page.descriptor],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            number, descriptor = map(int, process.stdout.readline().split())
            memfd = f'/proc/{process.pid}/fd/{descriptor}'
            self.assertIn('ddpsubmit-stack', os.readlink(memfd))
            while 'waits_for_its_peers' not in pathlib.Path(memfd).read_text():
                os.kill(process.pid, number)
                time.sleep(0.05)
            self.assertIn('most recent call first', pathlib.Path(memfd).read_text())
            self.assertEqual(process.communicate('x')[0], 'goes on\n', 'the call was not interrupted')

    def test_a_program_that_ddpsubmit_has_not_started_is_left_alone(self):
        program = 'import signal, ddpsubmit; print(signal.getsignal(signal.SIGRTMAX - 2) == signal.SIG_DFL)'
        environment = {name: value for name, value in os.environ.items() if not name.startswith('DDPSUBMIT_')}
        said = subprocess.run([sys.executable, '-c', program], env=environment, capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout, 'True\n')


class StepTest(RankTest):
    def test_a_step_is_on_the_page(self):
        self.rank.step(7, 100)
        self.assertEqual((self.page.phase, self.page.step, self.page.total, self.page.uses), ('step', 7, 100, 1))
        parts = self.page.parts
        self.rank.step(8, 100)
        self.assertEqual((self.page.step, self.page.parts, self.page.first_step), (8, parts + 1, 7))

    def test_the_total_may_change_and_may_be_unknown(self):
        self.rank.step(1)
        self.assertEqual(self.page.total, 0)
        self.rank.step(1, -1)
        self.assertEqual(self.page.total, 0)
        self.rank.step(2, 20)
        self.rank.step(3, 30)
        self.assertEqual(self.page.total, 30)

    def test_behind_the_last_step_the_rank_is_done(self):
        self.rank.step(9, 10)
        self.rank.step(10, 10)
        self.assertEqual((self.page.phase, self.page.step), ('done', 10))

    def test_what_is_no_number_of_steps_is_refused(self):
        for wrong in (-1, 1.5, '7', None):
            with self.subTest(wrong), self.assertRaises((ValueError, TypeError)):
                self.rank.step(wrong)
        self.rank.step(1)
        with self.assertRaises((ValueError, TypeError)):
            self.rank.step(-1)

    def test_the_first_step_of_an_attempt_is_recorded_by_rank_0_alone(self):
        self.make_rank(DDPSUBMIT_RANK='1').step(5, 10)
        self.assertEqual(self.records(), [])
        self.rank.step(5, 10)
        self.rank.step(6, 10)
        record, = self.records()
        self.assertEqual((record['kind'], record['attempt'], record['step'], record['total_steps']), ('first_step', 2, 5, 10))

    def test_one_that_is_held_at_its_last_step_is_done_too(self):
        self.page.set_stop_step(HOLD)
        held = threading.Thread(target=self.rank.step, args=(10, 10))
        held.start()
        self.page.set_stop_step(11)
        held.join()
        self.assertEqual(self.page.phase, 'done')

    def test_how_far_it_came_is_recorded_though_it_logs_nothing(self):
        self.rank.step(9, 10)
        self.rank.step(10, 10)
        self.assertEqual([(record['kind'], record['step']) for record in self.records()], [('first_step', 9), ('steps', 10)])

    def test_a_second_program_of_a_rank_begins_anew(self):
        self.rank.phase('one')
        self.rank.step(9, 10)
        self.rank.should_stop()
        second = self.make_rank()
        self.assertEqual((self.page.step, self.page.phase, self.page.uses, self.page.total), (2**64 - 1, 'start', 0, 0))
        second.step(1, 5)
        self.assertEqual(self.page.first_step, 9, 'of the attempt')
        second.phase('two')
        self.assertEqual(self.page.phase, 'two')
        second.phase('one')
        self.assertEqual(self.page.phase, 'one')

    def test_a_forked_child_is_no_rank(self):
        self.rank.step(1)
        self.rank.forget()
        self.rank.step(2)
        self.rank.log(loss=1.0)
        self.assertFalse(self.rank.should_stop())
        self.assertEqual(self.page.step, 1)


class StopTest(RankTest):
    def test_all_stop_after_the_step_that_was_agreed_upon(self):
        self.rank.step(4)
        self.assertFalse(self.rank.should_stop())
        self.page.set_stop_step(6)
        self.rank.step(5)
        self.assertFalse(self.rank.should_stop())
        self.rank.step(6)
        self.assertTrue(self.rank.should_stop())

    def test_steps_that_are_told_in_strides_stop_behind_it(self):
        self.page.set_stop_step(6)
        self.rank.step(5)
        self.assertFalse(self.rank.should_stop())
        self.rank.step(10)
        self.assertTrue(self.rank.should_stop())

    def test_a_rank_that_is_held_waits_until_the_step_is_known(self):
        self.rank.step(4)
        self.page.set_stop_step(HOLD)
        held = threading.Thread(target=self.rank.step, args=(5,))
        held.start()
        while self.page.waits == 0:
            time.sleep(0.001)
        self.assertEqual(self.page.step, 5)
        self.page.set_stop_step(6)
        held.join()
        self.assertEqual(self.page.waits, 0)
        self.assertFalse(self.rank.should_stop())
        self.rank.step(6)
        self.assertTrue(self.rank.should_stop())

    def test_a_rank_that_is_released_goes_on(self):
        self.page.set_stop_step(HOLD)
        held = threading.Thread(target=self.rank.step, args=(5,))
        held.start()
        self.page.set_stop_step(NO_STOP)
        held.join()
        self.assertFalse(self.rank.should_stop())

    def test_only_the_main_thread_can_ask(self):
        thread = threading.Thread(target=self.rank.should_stop)
        thread.start()
        thread.join()
        self.assertEqual(self.page.uses, 0)
        self.rank.should_stop()
        self.assertEqual(self.page.uses, 2)

    def test_who_asks_is_known_to_heed(self):
        self.rank.step(1)
        self.assertEqual(self.page.uses, 1)
        self.rank.should_stop()
        self.assertEqual(self.page.uses, 3)

    def test_a_program_without_steps_hears_of_the_request(self):
        self.assertFalse(self.rank.should_stop())
        self.page.request_stop(signal.SIGTERM)
        self.assertTrue(self.rank.should_stop())

    def test_stop_here_leaves_only_if_a_stop_was_requested(self):
        self.rank.step(3)
        self.rank.stop_here()
        self.page.set_stop_step(4)
        self.rank.step(4)
        with self.assertRaises(SystemExit) as left:
            self.rank.stop_here()
        self.assertEqual(left.exception.code, 75)

    def run_python(self, program, **options):
        return subprocess.run([sys.executable, '-c', program], env={**os.environ, **self.environment}, text=True,
                              pass_fds=[self.page.descriptor], stderr=subprocess.PIPE, **options)

    def test_the_words_of_a_rank_that_stops(self):
        self.page.set_stop_step(2)
        ended = self.run_python('import ddpsubmit as d; d.step(1); d.stop_here(); d.step(2); d.stop_here(); print(1/0)')
        self.assertEqual((ended.returncode, ended.stderr), (75, 'ddpsubmit: stopped on request after step 2\n'))

    def test_a_stopped_process_runs_what_the_program_wants_at_its_end_and_then_ends_at_once(self):
        self.page.set_stop_step(1)
        program = ('import atexit, sys, ddpsubmit as d\natexit.register(lambda: print("atexit", end=" "))\n'
                   'class Slow:\n  def __del__(self): print("freed", end=" ", flush=True)\n'
                   'slow = Slow()\nd.step(1)\ntry:\n  d.stop_here()\nfinally:\n  print("finally", end=" ")\n')
        ended = self.run_python(program, stdout=subprocess.PIPE)
        self.assertEqual((ended.returncode, ended.stdout), (75, 'finally atexit '))

    def test_a_process_that_fails_while_it_stops_has_failed(self):
        self.page.set_stop_step(1)
        ended = self.run_python('import ddpsubmit as d\nd.step(1)\ntry:\n  d.stop_here()\nfinally:\n  1 / 0\n')
        self.assertEqual(ended.returncode, 1)

    def test_children_of_a_stopped_process_end_with_it(self):
        self.page.set_stop_step(1)
        program = ('import multiprocessing, os, time\nimport ddpsubmit as d\n'
                   'child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,), daemon=True)\n'
                   'child.start()\nprint(child.pid, flush=True)\nd.step(1)\nd.stop_here()\n')
        ended = self.run_python(program, stdout=subprocess.PIPE)
        self.assertEqual(ended.returncode, 75)
        self.assertFalse(os.path.exists(f'/proc/{int(ended.stdout)}'))

    def test_signals_end_it_until_it_asks_and_its_children_ever(self):
        kill = 'import os, signal, ddpsubmit; {} os.kill(os.getpid(), signal.SIG{})'
        self.environment['DDPSUBMIT_STOP_SIGNAL'] = 'USR2'
        self.assertEqual(self.run_python(kill.format('', 'TERM')).returncode, -signal.SIGTERM)
        for name in ('TERM', 'USR2'):
            self.assertEqual(self.run_python(kill.format('ddpsubmit.should_stop();', name)).returncode, 0)
        self.assertEqual(self.run_python(kill.format('ddpsubmit.should_stop();', 'USR1')).returncode, -signal.SIGUSR1)
        program = ('import os, signal, ddpsubmit\nddpsubmit.should_stop()\npid = os.fork()\n'
                   'if pid == 0:\n  os.kill(os.getpid(), signal.SIGTERM)\n  signal.pause()\n'
                   'os._exit(os.WTERMSIG(os.waitpid(pid, 0)[1]))')
        self.assertEqual(self.run_python(program).returncode, signal.SIGTERM)

    def test_a_handler_of_the_program_stays(self):
        program = ('import os, signal, sys, ddpsubmit\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(9))\n'
                   'ddpsubmit.should_stop()\nos.kill(os.getpid(), signal.SIGTERM)')
        self.assertEqual(self.run_python(program).returncode, 9)


class PhaseTest(RankTest):
    def test_a_phase_lasts_until_the_next_step(self):
        self.rank.step(1)
        self.rank.phase('evaluate')
        self.assertEqual(self.page.phase, 'evaluate')
        self.rank.step(2)
        self.assertEqual(self.page.phase, 'step')

    def test_in_a_with_statement_the_phase_before_comes_back(self):
        self.rank.step(1)
        with self.rank.phase('checkpoint'):
            with self.rank.phase('upload'):
                self.assertEqual(self.page.phase, 'upload')
            self.assertEqual(self.page.phase, 'checkpoint')
        self.assertEqual(self.page.phase, 'step')

    def test_the_same_phase_again_advances(self):
        self.rank.phase('evaluate')
        parts = self.page.parts
        self.rank.phase('evaluate')
        self.assertEqual(self.page.parts, parts + 1)

    def test_there_is_room_for_16_names_and_the_others_share_the_last(self):
        for number in range(20):
            self.rank.phase(f'phase {number}')
        self.assertEqual(self.page.phase, 'phase 15')
        self.rank.phase('phase 3')
        self.assertEqual(self.page.phase, 'phase 3')

    def test_names_that_cannot_be_shown_are_refused(self):
        for wrong in ('', 'x' * 32, 'a\nb', 'Prüfung'):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, 'phase'):
                self.rank.phase(wrong)


class LogTest(RankTest):
    def test_numbers_are_in_metrics_and_on_the_page(self):
        self.rank.step(3, 9)
        self.rank.log(loss=0.5, epoch=1)
        record = self.records()[-1]
        self.assertEqual({name: record[name] for name in ('kind', 'attempt', 'step', 'total_steps', 'loss', 'epoch')},
                         {'kind': 'train', 'attempt': 2, 'step': 3, 'total_steps': 9, 'loss': 0.5, 'epoch': 1})
        self.assertRegex(record['time'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$')
        self.assertEqual(self.page.metrics, {'loss': 0.5, 'epoch': 1.0})

    def test_other_ranks_show_theirs_and_write_none(self):
        rank = self.make_rank(DDPSUBMIT_RANK='3')
        rank.step(1)
        rank.log(loss=2)
        self.assertEqual(self.records(), [])
        self.assertEqual(self.page.metrics, {'loss': 2.0})

    def test_in_an_evaluation_the_record_is_of_that_kind(self):
        self.rank.step(3)
        with self.rank.phase('evaluate'):
            self.rank.log(accuracy=0.9)
        self.assertEqual(self.records()[-1]['kind'], 'evaluate')

    def test_what_is_not_finite_is_null(self):
        self.rank.step(1)
        self.rank.log(loss=math.nan, gradient_norm=math.inf)
        self.assertEqual((self.records()[-1]['loss'], self.records()[-1]['gradient_norm']), (None, None))

    def test_a_value_on_a_device_is_refused_and_never_read(self):
        class OnDevice:
            device = 'cuda:0'

            def __float__(self):
                raise AssertionError('this would wait for the device')

        with self.assertRaisesRegex(TypeError, r"'loss' is on cuda:0: pass loss.item\(\)"):
            self.rank.log(loss=OnDevice())

    def test_what_is_no_number_and_names_of_ours_are_refused(self):
        with self.assertRaisesRegex(TypeError, "'loss' is str"):
            self.rank.log(loss='low')
        with self.assertRaisesRegex(TypeError, "'step'"):
            self.rank.log(step=4)

    def test_a_file_that_cannot_be_written_costs_the_records_alone(self):
        rank = self.make_rank(DDPSUBMIT_RUN_DIR='/nonexistent')
        rank.step(1)
        rank.log(loss=1.0)
        self.assertEqual(self.page.metrics, {'loss': 1.0})

    def test_the_time_of_other_phases_is_no_time_of_steps(self):
        self.rank.step(1)
        with self.rank.phase('evaluate'):
            before = self.records()[-1]['trained_ms']
            time.sleep(0.01)
            self.rank.log(loss=1.0)
        self.assertEqual(self.records()[-1]['trained_ms'], before)


class OutsideTest(unittest.TestCase):
    def test_nothing_happens(self):
        program = ('import ddpsubmit as d\nfor n in (1, 2):\n  d.step(n, 2)\n  d.log(loss=1.0, anything=object())\n'
                   '  with d.phase("evaluate"): pass\n  assert not d.should_stop()\n  d.stop_here()\n'
                   'assert d.job().rank == 3 and d.job().world_size == 8 and str(d.job().output_dir) == "."')
        outside = {name: value for name, value in os.environ.items() if not name.startswith('DDPSUBMIT')}
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, '-c', program], env={**outside, 'RANK': '3', 'WORLD_SIZE': '8'}, cwd=folder, check=True)
            self.assertEqual(os.listdir(folder), [])

    def test_pages_of_other_versions_and_other_files_are_none(self):
        for page in (RankPage(version=3, size=64), RankPage(version=99)):
            self.assertIsNone(open_page({'DDPSUBMIT_PROGRESS_FD': str(page.descriptor)}))
            page.close()
        with tempfile.TemporaryFile() as file:
            file.write(b'\4' + bytes(4095))
            file.flush()
            self.assertIsNone(open_page({'DDPSUBMIT_PROGRESS_FD': str(file.fileno())}))
        for number in ('', '-1', 'x', '98765'):
            self.assertIsNone(open_page({'DDPSUBMIT_PROGRESS_FD': number}))

    def test_a_step_makes_no_system_call(self):
        if shutil.which('strace') is None:
            self.skipTest('strace is needed')
        page = RankPage()
        program = ('import os, ddpsubmit\nddpsubmit.step(1, 9); ddpsubmit.should_stop()\nos.write(2, b"begin")\n'
                   'for n in range(2, 9):\n  ddpsubmit.step(n, 9)\n  ddpsubmit.should_stop()\nos.write(2, b"end")')
        with tempfile.NamedTemporaryFile('r') as calls:
            environment = {**os.environ, 'DDPSUBMIT_PROGRESS_FD': str(page.descriptor), 'DDPSUBMIT_RUN_DIR': '/nonexistent'}
            subprocess.run(['strace', '-o', calls.name, sys.executable, '-c', program], env=environment,
                           pass_fds=[page.descriptor], stderr=subprocess.DEVNULL, check=True)
            text = calls.read()
        page.close()
        between = text[text.index('"begin"'):text.index('"end"')]
        self.assertEqual(between.count('\n'), 1, between)


class JobTest(unittest.TestCase):
    def test_a_rank_knows_its_job(self):
        job = read_job({'DDPSUBMIT_RUN_DIR': '/runs/a', 'DDPSUBMIT_RUN_ID': 'a', 'DDPSUBMIT_RANK': '5', 'DDPSUBMIT_WORLD_SIZE': '8',
                        'DDPSUBMIT_LOCAL_RANK': '1', 'DDPSUBMIT_HOSTNAMES': 'n[08-10],gpu7', 'DDPSUBMIT_OUTPUT_DIR': '/runs/a/output',
                        'DDPSUBMIT_DEADLINE': '4102444800'})
        self.assertEqual((job.rank, job.world_size, job.local_rank), (5, 8, 1))
        self.assertEqual(job.hostnames, ['n08', 'n09', 'n10', 'gpu7'])
        self.assertEqual(str(job.output_dir), '/runs/a/output')
        self.assertEqual(job.deadline.isoformat(), '2100-01-01T00:00:00+00:00')
        self.assertGreater(job.time_left(), 0)

    def test_processes_that_a_rank_starts_have_ranks_of_their_own(self):
        job = read_job({'DDPSUBMIT_RUN_DIR': '/runs/a', 'DDPSUBMIT_RANK': '0', 'DDPSUBMIT_WORLD_SIZE': '1', 'RANK': '5', 'WORLD_SIZE': '8'})
        self.assertEqual((job.rank, job.world_size), (5, 8))

    def test_variables_that_are_no_numbers_count_for_nothing(self):
        job = read_job({'OMP_NUM_THREADS': '8,2', 'RANK': 'x', 'WORLD_SIZE': ''})
        self.assertEqual((job.cpus_per_task, job.rank, job.world_size), (1, 0, 1))


if __name__ == '__main__':
    unittest.main()
