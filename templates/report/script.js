
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('report-data').textContent);
  const NAMESPACE = 'http://www.w3.org/2000/svg';
  const TOP = 10, HEIGHT = 170, WHOLE = 222, LEFT = 52, DOT = 3;
  // What all plots share: the axis, the range of it that is shown (null: all), and where the cursor is (null: nowhere).
  const view = {axis: 'step', range: null, cursor: null, logarithmic: false};
  const plots = [];

  function node(name, attributes, parent, text) {
    const made = document.createElementNS(NAMESPACE, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  }

  // Four digits, as the tables have them.
  function number(value) {
    const size = Math.abs(value);
    if (size === 0) return '0';
    if (size >= 1e15 || size < 1e-4) return value.toExponential(2);
    if (size >= 999.95) return Math.round(value).toLocaleString('en-US');
    return String(Number(value.toFixed(Math.max(0, 3 - Math.floor(Math.log10(size))))));
  }

  function elapsed(seconds) {
    if (seconds < 60) return number(Math.round(seconds * 10) / 10) + ' s';
    const whole = Math.round(seconds), minutes = Math.floor(whole / 60), hours = Math.floor(minutes / 60);
    if (whole < 3600) return minutes + ' min ' + whole % 60 + ' s';
    if (whole < 86400) return hours + ' h ' + minutes % 60 + ' min';
    return Math.floor(hours / 24) + ' d ' + hours % 24 + ' h';
  }

  // A number among others that are `step` apart.
  function tickText(value, step) {
    return step >= 1 || step < 1e-6 ? number(value) : value.toFixed(Math.ceil(-Math.log10(step) - 1e-9));
  }

  const place = (value) => view.axis === 'time' ? elapsed(value).replace(/ 0 (s|min|h)$/, '') : number(value);

  // Of the text at a place, in pixels.
  const halfWidth = (value) => place(value).length * 3.3;

  // Round numbers between two, about `count` of them. Times have the steps of a clock.
  function ticks(lowest, highest, count, clock) {
    const rough = (highest - lowest) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    let step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
    if (clock) step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400].find((each) => each >= rough) || 86400 * Math.ceil(rough / 86400);
    const list = [];
    const start = Math.ceil(lowest / step);
    for (let index = 0; index <= 4 * count + 4; ++index) {
      const tick = (start + index) * step;
      if (!(tick <= highest)) break;
      list.push(tick);
    }
    return list;
  }

  // 1, 2 and 5 times the powers of ten, or fewer if there are many.
  function logarithmicTicks(low, high) {
    const list = [], first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    const factors = last - first > 4 ? [1] : [1, 2, 5], every = Math.ceil((last - first) / 6);
    for (let power = first; power <= last; power += every) for (const factor of factors) list.push(factor * 10 ** power);
    return list.filter((value) => value >= low && value <= high);
  }

  // The index of the value of a sorted list that is nearest; gaps (null) are passed over.
  function nearest(list, value) {
    let best = -1;
    for (let index = 0; index < list.length; ++index) {
      if (list[index] === null) continue;
      if (best < 0 || Math.abs(list[index] - value) <= Math.abs(list[best] - value)) best = index;
      else break;
    }
    return best;
  }

  const axisOf = (line) => data.axes[line.axis][view.axis];

  // The ends of all plots together.
  function extent() {
    let first = Infinity, last = -Infinity;
    for (const axis of data.axes) {
      for (const value of axis[view.axis]) {
        if (value === null) continue;
        first = Math.min(first, value);
        last = Math.max(last, value);
      }
    }
    return first < last ? [first, last] : [first - 1, first + 1];
  }

  const range = () => view.range || extent();

  function zoom(factor) {
    const [first, last] = range(), [begin, end] = extent();
    const centre = view.cursor === null ? (first + last) / 2 : view.cursor;
    const low = Math.max(begin, centre - (centre - first) * factor), high = Math.min(end, centre + (last - centre) * factor);
    if (high - low > (end - begin) / 1e4) view.range = low <= begin && high >= end ? null : [low, high];
    drawAll();
  }

  function showAll() {
    view.range = null;
    drawAll();
  }

  function moveCursor(value) {
    view.cursor = value;
    if (value !== null && view.range) {
      const [low, high] = view.range, width = high - low;
      if (value < low) view.range = [value, value + width];
      if (value > high) view.range = [value - width, value];
    }
    drawAll();
  }

  let isDue = false;
  function drawAll() {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      for (const plot of plots) plot.draw();
    });
  }

  class Plot {
    constructor(figure, plot) {
      this.plot = plot;
      this.hidden = new Set();
      this.canvas = figure.querySelector('.canvas');
      this.svg = this.canvas.querySelector('svg');
      this.svg.removeAttribute('role');
      this.svg.setAttribute('aria-hidden', 'true');
      this.readout = document.createElement('p');
      this.readout.className = 'readout' + (plot.lines.length > 3 ? ' tall' : '');
      this.canvas.before(this.readout);
      this.description = this.svg.getAttribute('aria-label');
      for (const [name, value] of [['tabindex', '0'], ['role', 'slider'], ['aria-label', this.description], ['aria-valuemin', '0'], ['aria-valuenow', '0']])
        this.canvas.setAttribute(name, value);
      this.canvas.addEventListener('keydown', (event) => this.press(event));
      this.canvas.addEventListener('pointerdown', (event) => this.beginDrag(event));
      this.canvas.addEventListener('pointermove', (event) => this.point(event));
      this.canvas.addEventListener('pointerup', () => this.endDrag());
      this.canvas.addEventListener('pointercancel', () => { this.drag = null; });
      this.canvas.addEventListener('pointerleave', () => { if (!this.drag && document.activeElement !== this.canvas) moveCursor(null); });
      this.canvas.addEventListener('dblclick', showAll);
      this.addButtons(figure.querySelectorAll('.legend li'));
    }

    // Each entry of the legend shows or hides its line.
    addButtons(items) {
      items.forEach((item, index) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.setAttribute('aria-pressed', 'true');
        button.append(...item.childNodes);
        item.append(button);
        button.addEventListener('click', () => {
          const hide = !this.hidden.delete(index);
          if (hide) this.hidden.add(index);
          button.setAttribute('aria-pressed', String(!hide));
          this.draw();
        });
      });
    }

    valueAt(event) {
      const box = this.canvas.getBoundingClientRect(), [first, last] = range();
      return first + Math.min(1, Math.max(0, (event.clientX - box.left - LEFT) / (box.width - LEFT))) * (last - first);
    }

    beginDrag(event) {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      this.canvas.setPointerCapture(event.pointerId);
      this.drag = {from: this.valueAt(event), to: this.valueAt(event)};
    }

    point(event) {
      const value = this.valueAt(event);
      if (this.drag) this.drag.to = value;
      moveCursor(value);
    }

    endDrag() {
      const drag = this.drag, [first, last] = range(), [begin, end] = extent();
      this.drag = null;
      if (drag && Math.abs(drag.to - drag.from) > Math.max((last - first) / 100, (end - begin) / 1e4)) view.range = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
      drawAll();
    }

    // The places of all points, for the keyboard.
    stops() {
      const line = this.lines()[0];
      return line ? axisOf(line).filter((value, index) => value !== null && line.mean[index] !== null) : [];
    }

    press(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const list = this.stops(), large = Math.max(1, Math.round(list.length / 20));
      let index = view.cursor === null ? -1 : nearest(list, view.cursor);
      const moves = {ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -large, PageUp: large, Home: -list.length, End: list.length};
      if (event.key in moves && list.length) {
        const step = moves[event.key] * (event.shiftKey ? 10 : 1);
        index = Math.min(list.length - 1, Math.max(0, index + step));
        moveCursor(list[index]);
      } else if (event.key === '+' || event.key === '=') {
        zoom(0.5);
      } else if (event.key === '-') {
        zoom(2);
      } else if (event.key === '0' || event.key === 'Escape') {
        showAll();
      } else {
        return;
      }
      event.preventDefault();
    }

    lines() { return this.plot.lines.filter((line, index) => !this.hidden.has(index)); }

    // The points of each line within the range, with one more at both ends.
    points() {
      const [first, last] = range();
      const below = new Map();
      return this.lines().map((line) => {
        const at = axisOf(line), points = [];
        for (let index = 0; index < at.length; ++index) {
          if (at[index] === null) continue;
          if (at[index + 1] < first || at[index - 1] > last) continue;
          const mean = line.mean[index];
          const base = this.plot.stack ? below.get(index) || 0 : 0;
          if (this.plot.stack) below.set(index, base + (mean || 0));
          points.push({x: at[index], mean: mean === null ? null : base + mean, base, low: line.lowest ? line.lowest[index] : null, high: line.highest ? line.highest[index] : null, index});
        }
        return {line, points};
      });
    }

    isLogarithmic(drawn) {
      return view.logarithmic && !this.plot.from_zero && drawn.every(({points}) => points.every((point) => point.mean === null || point.mean > 0));
    }

    // The means decide, and the limits as far as they do not make the line flat.
    heights(drawn) {
      const [first, last] = range();
      let low = Infinity, high = -Infinity, lowest = Infinity, highest = -Infinity;
      for (const {points} of drawn) {
        for (const point of points) {
          if (point.mean === null || point.x < first || point.x > last) continue;
          low = Math.min(low, point.mean);
          high = Math.max(high, point.mean);
          lowest = Math.min(lowest, point.low === null ? point.mean : point.low);
          highest = Math.max(highest, point.high === null ? point.mean : point.high);
        }
      }
      if (low > high) return [0, 1];
      if (this.plot.from_zero) low = Math.min(low, 0);
      if (highest - lowest <= 3 * (high - low)) [low, high] = [this.plot.from_zero ? low : Math.min(low, lowest), Math.max(high, highest)];
      const isFlat = high - low <= Math.max(Math.abs(low), Math.abs(high)) * 1e-9;
      if (isFlat && this.plot.share) [low, high] = [0, 1];
      else if (isFlat) return low === 0 ? [-1, 1] : [low - Math.abs(low) / 10, high + Math.abs(high) / 10];
      const room = (high - low) * 0.06;
      return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
    }

    draw() {
      const width = this.canvas.clientWidth - LEFT;
      if (width <= 0) return;
      const drawn = this.points(), [first, last] = range();
      let [low, high] = this.heights(drawn), scale = (value) => value;
      if (this.isLogarithmic(drawn)) {
        const means = drawn.flatMap(({points}) => points.filter((point) => point.mean !== null && point.x >= first && point.x <= last).map((point) => point.mean));
        const least = means.reduce((a, b) => Math.min(a, b), Infinity);
        scale = (value) => Math.log10(Math.max(value, least / 2));
        if (means.length) [low, high] = [least / 1.1, Math.max(high, least * 1.2)];
      }
      const x = (value) => (value - first) / (last - first) * width;
      const y = (value) => TOP + HEIGHT - (scale(value) - scale(low)) / (scale(high) - scale(low)) * HEIGHT;
      this.svg.replaceChildren();
      this.svg.setAttribute('viewBox', '0 0 ' + width + ' ' + WHOLE);
      this.svg.setAttribute('preserveAspectRatio', 'none');
      const marks = this.isLogarithmic(drawn) ? logarithmicTicks(low, high) : ticks(low, high, 4, false);
      this.drawAxes(x, y, width, [first, last], marks);
      const clip = node('svg', {x: -DOT, y: TOP, width: width + 2 * DOT, height: HEIGHT, viewBox: -DOT + ' ' + TOP + ' ' + (width + 2 * DOT) + ' ' + HEIGHT}, this.svg);
      this.drawAttempts(clip, x);
      for (const each of drawn) this.drawLine(clip, each, x, y);
      this.drawAttemptNames(clip, x, width);
      const apart = this.isLogarithmic(drawn) ? 1 : marks[1] - marks[0] || 1;
      for (const tick of marks) node('text', {class: 'tick', x: -6, y: y(tick) + 4, 'text-anchor': 'end'}, this.svg, tickText(tick, apart));
      if (this.drag) node('rect', {class: 'drag', x: Math.min(x(this.drag.from), x(this.drag.to)), y: 0, width: Math.abs(x(this.drag.to) - x(this.drag.from)), height: WHOLE}, clip);
      this.drawCursor(clip, drawn, x, y);
    }

    // What is named below a plot: round numbers, and the end where there is room for it. Steps are whole numbers.
    places(x, width, first, last) {
      const list = ticks(first, last, Math.max(3, Math.min(8, width / 90)), view.axis === 'time').filter((tick) => view.axis === 'time' || Math.abs(tick - Math.round(tick)) < 1e-6);
      const end = view.axis === 'time' ? last : Math.floor(last), before = list[list.length - 1];
      if (before === undefined || width - 2 * halfWidth(end) - x(before) - halfWidth(before) > 10) list.push(end);
      return list;
    }

    drawAxes(x, y, width, [first, last], marks) {
      node('line', {class: 'base', x1: 0, x2: width, y1: TOP + HEIGHT, y2: TOP + HEIGHT}, this.svg);
      for (const tick of marks) node('line', {class: 'grid', x1: 0, x2: width, y1: y(tick), y2: y(tick)}, this.svg);
      for (const tick of this.places(x, width, first, last)) {
        const left = x(tick), half = halfWidth(tick), anchor = left < half ? 'start' : left > width - half ? 'end' : 'middle';
        node('text', {class: 'tick', x: left, y: TOP + HEIGHT + 18, 'text-anchor': anchor}, this.svg, place(tick));
      }
      node('text', {class: 'tick', x: width / 2, y: TOP + HEIGHT + 35, 'text-anchor': 'middle'}, this.svg, view.axis === 'time' ? 'time since the start' : 'step');
    }

    // Where a later attempt begins, in the report of one run.
    attempts() {
      const line = this.lines()[0], begins = [];
      if (!data.alone || !line) return begins;
      const attempts = data.axes[line.axis].attempt, at = axisOf(line);
      for (let index = 1; index < at.length; ++index) {
        const number = attempts[index], resumed = view.axis === 'step' ? data.resumed[number] : undefined;
        if (number === attempts[index - 1] || at[index] === null) continue;
        begins.push({number, at: resumed === undefined ? at[index] : Math.min(at[index], resumed)});
      }
      return begins;
    }

    drawAttempts(parent, x) {
      for (const {at} of this.attempts()) node('line', {class: 'attempt', x1: x(at), x2: x(at), y1: 0, y2: WHOLE}, parent);
    }

    // Above the plot, so that no line strikes a name through.
    drawAttemptNames(parent, x, width) {
      for (const {number, at} of this.attempts()) {
        const before = width - x(at) < 70;
        node('text', {x: x(at) + (before ? -5 : 5), y: TOP - 1, 'text-anchor': before ? 'end' : 'start'}, parent, 'attempt ' + number);
      }
    }

    drawLine(parent, {line, points}, x, y) {
      const look = 'c' + line.colour + (line.dashed ? ' dashed' : ''), known = points.filter((point) => point.mean !== null);
      const area = (top, bottom) => known.map((point) => x(point.x).toFixed(1) + ' ' + y(top(point)).toFixed(1)).concat(
          known.reverse().map((point) => x(point.x).toFixed(1) + ' ' + y(bottom(point)).toFixed(1))).join('L');
      if (this.plot.stack) {
        if (known.length) node('path', {class: 'area ' + look, d: 'M' + area((point) => point.mean, (point) => point.base) + 'z'}, parent);
        return;
      }
      if (line.lowest && known.length) node('path', {class: 'band ' + look, d: 'M' + area((point) => point.high, (point) => point.low) + 'z'}, parent);
      const attempts = data.axes[line.axis].attempt;
      let path = '', drawing = false, attempt = null;
      for (const point of points) {
        if (view.axis === 'time' && attempt !== attempts[point.index]) drawing = false; // between two attempts nothing was trained
        attempt = attempts[point.index];
        if (point.mean !== null) path += (drawing ? 'L' : 'M') + x(point.x).toFixed(1) + ' ' + y(point.mean).toFixed(1) + (drawing ? '' : 'h0');
        drawing = point.mean !== null || (line.joined && drawing);
      }
      node('path', {class: 'line ' + look, d: path}, parent);
      const values = points.filter((point) => point.mean !== null);
      if (values.length <= 40) for (const point of values) node('circle', {class: 'dot ' + look, cx: x(point.x), cy: y(point.mean), r: DOT}, parent);
    }

    drawCursor(parent, drawn, x, y) {
      if (view.cursor === null) {
        this.readout.textContent = '';
        return;
      }
      const said = [];
      let at = null;
      for (const {line} of drawn) {
        const axis = axisOf(line), index = nearest(axis, view.cursor);
        if (index < 0 || line.mean[index] === null) continue;
        if (at === null) at = {value: axis[index], line, index};
        const limits = line.lowest && line.lowest[index] !== line.highest[index] ? ' (' + number(line.lowest[index]) + ' to ' + number(line.highest[index]) + ')' : '';
        if (said.length < 8) said.push((this.plot.lines.length > 1 ? line.label + ' ' : '') + number(line.mean[index]) + limits);
      }
      if (at === null) return;
      node('line', {class: 'cursor', x1: x(at.value), x2: x(at.value), y1: 0, y2: WHOLE}, parent);
      const axis = data.axes[at.line.axis], time = axis.time[at.index];
      this.readout.textContent = 'step ' + number(axis.step[at.index]) + (time === null ? '' : ', after ' + elapsed(time)) + ': ' + said.join(', ');
      this.canvas.setAttribute('aria-valuetext', this.readout.textContent);
      this.canvas.setAttribute('aria-valuemax', axis.step.length - 1);
      this.canvas.setAttribute('aria-valuenow', at.index);
    }
  }

  // Ranks over records. The drawing is that of the file; this adds the cursor and the zoom.
  class HeatMap {
    constructor(figure, heat) {
      this.heat = heat;
      this.columns = heat.axis.step.length;
      this.cell = null;
      this.shown = [0, this.columns];
      this.canvas = figure.querySelector('.canvas');
      this.outer = this.canvas.querySelector('svg');
      this.inner = this.outer.querySelector('svg');
      this.outer.removeAttribute('role');
      this.outer.setAttribute('aria-hidden', 'true');
      this.labels = [...this.outer.querySelectorAll('text')];
      this.mark = node('rect', {class: 'cell', width: 1, height: 1, 'vector-effect': 'non-scaling-stroke', visibility: 'hidden'}, this.inner);
      this.readout = document.createElement('p');
      this.readout.className = 'readout';
      this.canvas.before(this.readout);
      for (const [name, value] of [['tabindex', '0'], ['role', 'slider'], ['aria-label', this.outer.getAttribute('aria-label')], ['aria-valuemin', '0'], ['aria-valuemax', this.columns - 1], ['aria-valuenow', '0']])
        this.canvas.setAttribute(name, value);
      this.canvas.addEventListener('keydown', (event) => this.press(event));
      this.canvas.addEventListener('pointermove', (event) => this.point(event));
      this.canvas.addEventListener('dblclick', () => this.show(0, this.columns));
    }

    point(event) {
      const box = this.inner.getBoundingClientRect(), [begin, end] = this.shown;
      const column = Math.floor(begin + (event.clientX - box.left) / box.width * (end - begin)), row = Math.floor((event.clientY - box.top) / box.height * this.heat.ranks.length);
      if (row >= 0 && row < this.heat.ranks.length && column >= 0 && column < this.columns) this.select(row, column);
    }

    press(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const [row, column] = this.cell || [0, -1], [begin, end] = this.shown, step = event.shiftKey ? 10 : 1;
      const moves = {ArrowLeft: [0, -step], ArrowRight: [0, step], ArrowUp: [-step, 0], ArrowDown: [step, 0], Home: [0, -this.columns], End: [0, this.columns]};
      if (event.key in moves) {
        const [down, right] = moves[event.key];
        this.select(Math.min(this.heat.ranks.length - 1, Math.max(0, row + down)), Math.min(this.columns - 1, Math.max(0, column + right)));
      } else if (event.key === '+' || event.key === '=' || event.key === '-') {
        const width = Math.min(this.columns, Math.max(4, (end - begin) * (event.key === '-' ? 2 : 0.5))), centre = Math.max(0, column);
        const from = Math.min(this.columns - width, Math.max(0, Math.round(centre - width / 2)));
        this.show(from, from + width);
      } else if (event.key === '0' || event.key === 'Escape') {
        this.show(0, this.columns);
      } else {
        return;
      }
      event.preventDefault();
    }

    show(begin, end) {
      this.shown = [begin, end];
      this.inner.setAttribute('viewBox', begin + ' 0 ' + (end - begin) + ' ' + this.heat.ranks.length);
      this.labels.forEach((label, index) => {
        const column = Math.round(begin + (end - begin - 1) * index / Math.max(1, this.labels.length - 1));
        label.textContent = number(this.heat.axis.step[column]);
      });
    }

    select(row, column) {
      this.cell = [row, column];
      const [begin, end] = this.shown;
      if (column < begin) this.show(column, column + end - begin);
      if (column >= end) this.show(column + 1 - (end - begin), column + 1);
      const ms = this.heat.ms[row][column], known = this.heat.ms.map((each) => each[column]).filter((each) => each !== null).sort((a, b) => a - b);
      for (const [name, value] of [['x', column], ['y', row], ['visibility', 'visible']]) this.mark.setAttribute(name, value);
      this.readout.textContent = 'rank ' + this.heat.ranks[row] + ', step ' + number(this.heat.axis.step[column]) + ': ' + (ms === null ? 'not recorded' : number(ms) + ' ms (median of the ranks ' + number(known[Math.floor((known.length - 1) / 2)]) + ' ms)');
      this.canvas.setAttribute('aria-valuenow', column);
      this.canvas.setAttribute('aria-valuetext', this.readout.textContent);
    }
  }

  function addControls() {
    const controls = document.getElementById('controls');
    if (!controls) return;
    controls.hidden = false;
    const hasTimes = data.axes.some((axis) => axis.time.some((time) => time !== null));
    const logarithmic = controls.querySelector('input[name=logarithmic]');
    logarithmic.checked = false;
    logarithmic.addEventListener('change', () => {
      view.logarithmic = logarithmic.checked;
      drawAll();
    });
    for (const input of controls.querySelectorAll('input[name=axis]')) {
      if (input.value === 'time') input.disabled = !hasTimes;
      input.addEventListener('change', () => {
        view.axis = input.value;
        view.cursor = null;
        showAll();
      });
    }
    const actions = {in: () => zoom(0.5), out: () => zoom(2), all: showAll};
    for (const button of controls.querySelectorAll('button')) button.addEventListener('click', actions[button.dataset.zoom]);
    controls.querySelector('input').checked = true;
  }

  for (const figure of document.querySelectorAll('figure[data-plot]')) {
    const plot = data.plots.find((each) => each.id === figure.dataset.plot);
    if (plot) plots.push(new Plot(figure, plot));
  }
  const heat = document.querySelector('figure[data-heat]');
  if (heat && data.heat) new HeatMap(heat, data.heat);
  addControls();
  addEventListener('resize', drawAll);
  addEventListener('beforeprint', () => {
    view.cursor = null;
    for (const plot of plots) plot.draw();
  });
  for (const plot of plots) plot.draw();
  document.documentElement.dataset.ready = 'yes';
})();
