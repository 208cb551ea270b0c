"""A headless Chromium, driven over a pipe with the DevTools protocol: one page, its errors, keys and pictures."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
from pathlib import Path

KEYS = {'ArrowLeft': 37, 'ArrowRight': 39, 'ArrowUp': 38, 'ArrowDown': 40, 'Home': 36, 'End': 35, 'Escape': 27, 'Tab': 9}


def find_chromium():
    return shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')


class Browser:
    """Everything that the page says on its console, and every error, is in `messages`."""

    def __init__(self, width=1280, height=900):
        self._folder = tempfile.mkdtemp(prefix='chromium-')
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        command = [find_chromium(), '--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--hide-scrollbars',
                   f'--user-data-dir={self._folder}', f'--window-size={width},{height}', '--remote-debugging-pipe', 'about:blank']
        # The browser reads from descriptor 3 and writes to descriptor 4.
        self._process = subprocess.Popen(['bash', '-c', f'exec "$@" 3<&{to_browser} 4>&{from_browser}', 'bash', *command],
                                         pass_fds=(to_browser, from_browser), stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b''
        self._number = 0
        self._session = None
        self.messages = []
        self.requests = []
        self._events = []
        target = next(each for each in self._call('Target.getTargets')['targetInfos'] if each['type'] == 'page')
        self._session = self._call('Target.attachToTarget', targetId=target['targetId'], flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self._call(domain + '.enable')
        self.resize(width, height)

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _receive(self):
        while b'\0' not in self._buffer:
            select.select([self._in], [], [])
            piece = os.read(self._in, 1 << 20)
            if not piece:
                raise RuntimeError('the browser has ended')
            self._buffer += piece
        line, self._buffer = self._buffer.split(b'\0', 1)
        return json.loads(line)

    def _take(self, message):
        method, fields = message.get('method'), message.get('params', {})
        self._events.append(method)
        if method == 'Runtime.consoleAPICalled':
            self.messages.append(' '.join(str(each.get('value', each.get('description'))) for each in fields['args']))
        elif method == 'Runtime.exceptionThrown':
            details = fields['exceptionDetails']
            self.messages.append(details.get('exception', {}).get('description') or details['text'])
        elif method == 'Log.entryAdded':
            self.messages.append(fields['entry']['text'])
        elif method == 'Page.javascriptDialogOpening':
            self.messages.append('dialog: ' + fields['message'])
            self._send('Page.handleJavaScriptDialog', accept=True)
        elif method == 'Network.requestWillBeSent':
            self.requests.append(fields['request']['url'])

    def _send(self, method, **fields):
        self._number += 1
        message = {'id': self._number, 'method': method, 'params': fields}
        if self._session:
            message['sessionId'] = self._session
        os.write(self._out, json.dumps(message).encode() + b'\0')
        return self._number

    def _call(self, method, **fields):
        number = self._send(method, **fields)
        while True:
            message = self._receive()
            if message.get('id') == number:
                if 'error' in message:
                    raise RuntimeError(f'{method}: {message["error"]}')
                return message['result']
            self._take(message)

    def open(self, path, scripts=True):
        self._call('Emulation.setScriptExecutionDisabled', value=not scripts)
        self._events.clear()
        self._call('Page.navigate', url=Path(path).resolve().as_uri())
        while 'Page.loadEventFired' not in self._events:
            self._take(self._receive())

    def resize(self, width, height):
        self._call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        """light or dark."""
        self._call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])

    def value(self, expression):
        """What the expression is in the page, once everything that it has begun to draw is drawn."""
        wrapped = f'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done({expression}))))'
        result = self._call('Runtime.evaluate', expression=wrapped, awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(result['exceptionDetails']['exception'].get('description'))
        return result['result'].get('value')

    def press(self, key):
        fields = {'key': key, 'windowsVirtualKeyCode': KEYS.get(key, ord(key[0]))}
        if len(key) == 1:
            fields['text'] = key
        self._call('Input.dispatchKeyEvent', type='keyDown', **fields)
        self._call('Input.dispatchKeyEvent', type='keyUp', **fields)

    def drag(self, selector, begin, end):
        """Over an element, from one part of its width to another."""
        box = self.value(f'(() => {{ const element = document.querySelector({json.dumps(selector)}); element.scrollIntoView({{block: "center"}});'
                         ' const box = element.getBoundingClientRect(); return [box.left, box.top, box.width, box.height]; })()')
        left, top, width, height = box
        y = top + height / 3
        for kind, part in (('mousePressed', begin), ('mouseMoved', (begin + end) / 2), ('mouseMoved', end), ('mouseReleased', end)):
            self._call('Input.dispatchMouseEvent', type=kind, x=left + part * width, y=y, button='left', clickCount=1)

    def picture(self, path, whole=True):
        shot = self._call('Page.captureScreenshot', format='png', captureBeyondViewport=whole)
        if whole:
            size = self._call('Page.getLayoutMetrics')['cssContentSize']
            shot = self._call('Page.captureScreenshot', format='png', captureBeyondViewport=True,
                              clip={'x': 0, 'y': 0, 'width': size['width'], 'height': min(size['height'], 16000), 'scale': 1})
        Path(path).write_bytes(base64.b64decode(shot['data']))

    def print(self, path):
        Path(path).write_bytes(base64.b64decode(self._call('Page.printToPDF', printBackground=False)['data']))
