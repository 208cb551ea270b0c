"""The page of `ddpsubmit report` in a browser: it is drawn, zoomed, read by the keyboard, printed, and nothing breaks out of it.

environment: DDPSUBMIT is the program; REPORT_PICTURES, if set, is a folder for pictures of the pages.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from browser import Browser, find_chromium  # noqa: E402
from run_folders import BREAK_OUT, make_run  # noqa: E402

RECORDS = 100_000
LONG_REASON = 'rank 1 on n1 exited with code 3 while it read /data/' + 'a_long_name_of_a_folder/' * 6 + '; ' + 'words that say why ' * 8


def setUpModule():
    if not find_chromium():
        print('skipped: chromium is not installed', flush=True)
        os._exit(77)  # what CTest calls skipped


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.place.name)
        cls.environment = {**os.environ, 'XDG_STATE_HOME': str(cls.folder / 'state'), 'HOME': cls.place.name, 'TZ': 'CET-1CEST,M3.5.0,M10.5.0/3'}
        cls.long_run = make_run(cls.folder / 'state', cls.folder / 'runs', 'long', RECORDS)
        cls.second_run = make_run(cls.folder / 'state', cls.folder / 'runs', 'second', 500, validates=True)
        cls.hostile_run = make_run(cls.folder / 'state', cls.folder / 'runs', 'hostile', 50, message=BREAK_OUT, metric=BREAK_OUT)
        cls.failed_run = make_run(cls.folder / 'state', cls.folder / 'runs', 'failed', 3, message=LONG_REASON)
        cls.pages = {name: cls.report(name, *runs) for name, runs in {
            'long': [cls.long_run], 'second': [cls.second_run], 'hostile': [cls.hostile_run], 'failed': [cls.failed_run], 'several': [cls.long_run, cls.second_run, cls.hostile_run]}.items()}
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.place.cleanup()

    @classmethod
    def report(cls, name, *runs):
        page = cls.folder / (name + '.html')
        subprocess.run([os.environ['DDPSUBMIT'], 'report', *runs, '-o', str(page)], env=cls.environment, check=True, stdout=subprocess.DEVNULL)
        return page

    def open(self, name, **options):
        self.browser.messages.clear()
        self.browser.requests.clear()
        self.browser.open(self.pages[name], **options)

    def tearDown(self):
        self.assertEqual(self.browser.messages, [])
        self.assertEqual([url for url in self.browser.requests if not url.startswith('file:')], [])

    def take_picture(self, name):
        if folder := os.environ.get('REPORT_PICTURES'):
            self.browser.picture(Path(folder) / (name + '.png'))

    def test_a_page_of_a_hundred_thousand_records_is_small_and_drawn(self):
        self.assertLess(self.pages['long'].stat().st_size, 2_000_000)
        self.open('long')
        self.assertEqual(self.browser.value('document.documentElement.dataset.ready'), 'yes')
        self.assertGreater(self.browser.value('document.querySelectorAll("figure[data-plot] path.line").length'), 10)
        self.assertEqual(self.browser.value('document.querySelectorAll("figure[data-heat] .canvas").length'), 1)
        self.assertTrue(self.browser.value('document.body.textContent.includes("21:15:04 CET")'))
        for scheme in ('light', 'dark'):
            self.browser.prefer(scheme)
            self.take_picture('long-' + scheme)
        self.browser.prefer('light')
        self.browser.resize(640, 900)
        self.assertLessEqual(self.browser.value('document.documentElement.scrollWidth'), 640)
        self.take_picture('long-narrow')
        self.browser.resize(1280, 900)

    def test_the_attempts_fit_and_the_last_step_is_named(self):
        self.open('failed')
        self.browser.resize(1200, 900)
        self.take_picture('failed')
        self.assertTrue(self.browser.value('(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)(document.querySelector("table.attempts").parentElement)'))
        ticks = self.browser.value('[...document.querySelectorAll("figure[data-plot=throughput] .canvas text")].map((each) => each.textContent)')
        self.assertEqual([tick for tick in ticks if tick in ('1', '2', '3')], ['1', '2', '3'])
        self.browser.resize(1280, 900)

    def test_dragging_zooms_all_plots_and_a_button_shows_all_again(self):
        self.open('long')
        ticks = '[...document.querySelectorAll("figure[data-plot=throughput] .canvas text")].map((each) => each.textContent).join()'
        before = self.browser.value(ticks)
        self.browser.drag('figure[data-plot=loss] .canvas', 0.5, 0.6)
        zoomed = self.browser.value(ticks)
        self.assertNotEqual(before, zoomed)
        self.assertIn('50,000', zoomed)
        self.assertNotIn('90,000', zoomed)
        self.take_picture('long-zoomed')
        self.browser.value('document.querySelector("[data-zoom=all]").click()')
        self.assertEqual(self.browser.value(ticks), before)

    def test_the_axis_can_be_time(self):
        self.open('long')
        self.browser.value('document.querySelector("input[value=time]").click()')
        labels = self.browser.value('[...document.querySelectorAll("figure[data-plot=loss] .canvas text")].map((each) => each.textContent).join()')
        self.assertIn('1 h,', labels)
        self.take_picture('long-time')

    def test_the_keyboard_moves_the_cursor_and_zooms(self):
        self.open('long')
        self.browser.value('document.querySelector("figure[data-plot=loss] .canvas").focus()')
        said = 'document.activeElement.getAttribute("aria-valuetext")'
        self.browser.press('Home')
        self.assertIn('step 1, after', self.browser.value(said))
        self.browser.press('ArrowRight')
        self.assertIn('step 51, after', self.browser.value(said))
        self.browser.press('End')
        self.assertIn('step 99,951, after', self.browser.value(said))
        self.assertIn('training 0.0', self.browser.value(said))
        before = self.browser.value('document.activeElement.textContent')
        self.browser.press('+')
        self.assertNotEqual(self.browser.value('document.activeElement.textContent'), before)
        self.browser.press('0')
        self.browser.value('document.querySelector("figure[data-heat] .canvas").focus()')
        for key in ('End', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown'):
            self.browser.press(key)
        self.assertIn('rank 5, step 99,', self.browser.value(said))
        self.take_picture('long-keyboard')

    def test_lines_can_be_hidden(self):
        self.open('long')
        lines = 'document.querySelectorAll("figure[data-plot=loss] .canvas path.line").length'
        self.assertEqual(self.browser.value(lines), 2)
        self.browser.value('document.querySelector("figure[data-plot=loss] .legend button").click()')
        self.assertEqual(self.browser.value(lines), 1)

    def test_without_scripts_there_are_drawings_and_tables(self):
        self.open('long', scripts=False)
        text = self.pages['long'].read_text(encoding='utf-8')
        self.assertGreater(text.count('<svg class="chart plane"'), 8)
        self.assertGreater(text.count('<details><summary>Values</summary>'), 8)
        if folder := os.environ.get('REPORT_PICTURES'):
            self.browser.picture(Path(folder) / 'long-without-scripts.png')
        self.open('long')

    def test_several_runs_are_drawn_over_each_other(self):
        self.open('several')
        self.assertEqual(self.browser.value('document.querySelectorAll("figure[data-plot=loss] .canvas path.line").length'), 3)
        self.browser.prefer('dark')
        self.take_picture('several-dark')
        self.browser.prefer('light')
        self.take_picture('several-light')

    def test_validations_are_joined_with_whole_dots_in_the_page_of_one_run_and_of_several(self):
        figure = '[...document.querySelectorAll("figure[data-plot]")].find((each) => each.querySelector("figcaption").textContent === "val_loss").querySelector(".canvas")'
        for name in ('second', 'several'):
            self.open(name)
            self.assertEqual(self.browser.value(figure + '.querySelector("path.line").getAttribute("d").match(/L/g).length'), 9)
            self.assertEqual(self.browser.value(figure + '.querySelectorAll("circle.dot").length'), 10)
            room = self.browser.value('((box, dot) => box.x + box.width - dot.cx.baseVal.value - dot.r.baseVal.value)'
                                      f'({figure}.querySelector("svg svg").viewBox.baseVal, [...{figure}.querySelectorAll("circle.dot")].pop())')
            self.assertGreaterEqual(room, 0)
        self.assertIn('val_loss', self.browser.value('document.querySelector("#runs table").textContent'))

    def test_a_title_is_one_line_and_the_cause_stands_below_it(self):
        self.open('failed')
        self.browser.resize(1200, 900)
        self.assertLess(self.browser.value('document.querySelector("h1").getBoundingClientRect().height'), 45)
        self.assertIn('a_long_name_of_a_folder', self.browser.value('document.querySelector("h1 ~ p").textContent'))
        self.browser.resize(1280, 900)

    def test_it_prints(self):
        self.open('long')
        page = self.folder / 'page.pdf'
        self.browser.print(page)
        self.assertTrue(page.read_bytes().startswith(b'%PDF'))
        if folder := os.environ.get('REPORT_PICTURES'):
            (Path(folder) / 'long.pdf').write_bytes(page.read_bytes())

    def test_nothing_breaks_out(self):
        for name in ('hostile', 'several'):
            self.open(name)
            self.assertEqual(self.browser.value('document.querySelectorAll("img").length'), 0)
            self.assertEqual(self.browser.value('document.scripts.length'), 2)
            self.assertTrue(self.browser.value('document.body.textContent.includes("onerror=alert(2)")'))
            self.assertEqual(self.browser.value('document.documentElement.dataset.ready'), 'yes')
        self.take_picture('hostile')


if __name__ == '__main__':
    unittest.main()
