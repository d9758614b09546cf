'use strict';
document.documentElement.classList.add('scripted');

// Runs and diagrams are packed: deflate in base64. They are unfolded when they are opened for the first time.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream).text();
}

function pictured(svg, label) {
  const box = document.createElement('div');
  box.className = 'scroll';
  box.tabIndex = 0;
  box.setAttribute('role', 'region');
  box.setAttribute('aria-label', label);
  // Ours, written and escaped like the pictures that stand in the page.
  box.innerHTML = svg;
  return box;
}

async function unfold(details) {
  const { run, picture } = details.dataset;
  if (!run && !picture) return;
  delete details.dataset.run;
  delete details.dataset.picture;
  try {
    if (run) {
      const { steps, chart } = JSON.parse(await unpacked(run));
      details.querySelector('pre').textContent = steps;
      if (chart) details.append(pictured(chart, 'The run as a picture'));
    } else {
      details.append(pictured(await unpacked(picture), details.querySelector('summary').textContent));
    }
  } catch {
    // An old browser inflates nothing: then what stands there without a script is shown.
    for (const note of details.querySelectorAll('.without-script')) note.style.display = 'block';
  }
}

for (const details of document.querySelectorAll('details[data-run], details[data-picture]')) {
  details.addEventListener('toggle', () => details.open && unfold(details));
  if (details.open) unfold(details);
}

// A link to what is folded opens it.
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  const details = target?.closest('details');
  if (details) details.open = true;
}
addEventListener('hashchange', reveal);
reveal();

// Timelines can be zoomed and panned: buttons, keys, the wheel with Ctrl, and dragging.
function short(number) {
  return String(Number(number.toPrecision(4)));
}

function ticks(from, to) {
  const rough = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(factor => factor * power).find(step => step >= rough) ?? rough;
  const list = [];
  for (let tick = Math.ceil(from / step - 1e-9); tick * step <= to * 1.000001; tick += 1) list.push(tick * step);
  return list;
}

function timeline(svg) {
  const [left, length, end, bottom] = ['left', 'length', 'end', 'bottom'].map(key => Number(svg.dataset[key]));
  if (!(end > 0)) return;
  let [from, to] = [0, end];
  const axis = svg.querySelector('.ticks');
  const top = 26;
  const x = time => left + (time - from) / (to - from) * length;
  const made = (name, attributes, text) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };

  function draw() {
    axis.replaceChildren(...ticks(from, to).flatMap(tick => [
      made('line', { class: 'grid', x1: x(tick), x2: x(tick), y1: top - 6, y2: bottom }),
      made('text', { class: 'middle faint', x: x(tick), y: top - 10 }, short(tick)),
    ]));
    for (const bar of svg.querySelectorAll('[data-from]')) {
      const begin = Math.max(x(Number(bar.dataset.from)), left);
      const stop = Math.min(x(Number(bar.dataset.to)), left + length);
      bar.setAttribute('x', begin);
      bar.setAttribute('width', Math.max(stop - begin, 0));
      bar.style.display = stop > begin ? '' : 'none';
      const text = bar.nextElementSibling;
      if (text?.classList.contains('inside')) {
        text.setAttribute('x', (begin + stop) / 2);
        text.classList.toggle('away', stop - begin <= text.textContent.length * 8);
      }
    }
    for (const line of svg.querySelectorAll('[data-at]')) {
      const at = x(Number(line.dataset.at));
      line.setAttribute('x1', at);
      line.setAttribute('x2', at);
      line.style.display = at >= left && at <= left + length ? '' : 'none';
    }
    shown.textContent = `${short(from)} to ${short(to)}`;
  }

  // Zooms around a time, which stays where it is.
  function zoom(factor, around = (from + to) / 2) {
    const width = Math.min(Math.max((to - from) * factor, end / 1000), end);
    go(around - (around - from) * width / (to - from), width);
  }

  function go(start, width = to - from) {
    from = Math.min(Math.max(start, 0), end - width);
    to = from + width;
    draw();
  }

  const acts = {
    '+': ['Zoom in', () => zoom(0.5)],
    '−': ['Zoom out', () => zoom(2)],
    '‹': ['Earlier', () => go(from - (to - from) / 4)],
    '›': ['Later', () => go(from + (to - from) / 4)],
    '⟲': ['The whole time', () => go(0, end)],
  };
  const keys = { '+': '+', '=': '+', '-': '−', 'ArrowLeft': '‹', 'ArrowRight': '›', '0': '⟲' };
  const tools = document.createElement('div');
  tools.className = 'zoom';
  tools.setAttribute('role', 'toolbar');
  tools.setAttribute('aria-label', 'Zoom and pan');
  for (const [sign, [name, act]] of Object.entries(acts)) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = sign;
    button.title = name;
    button.setAttribute('aria-label', name);
    button.addEventListener('click', act);
    tools.append(button);
  }
  const shown = document.createElement('output');
  tools.append(shown);
  const box = svg.closest('.scroll');
  box.before(tools);
  box.addEventListener('keydown', event => {
    const act = acts[keys[event.key]];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act[1]();
  });
  const timeAt = event => {
    const place = svg.getBoundingClientRect();
    const at = (event.clientX - place.left) * svg.viewBox.baseVal.width / place.width;
    return from + (at - left) / length * (to - from);
  };
  svg.addEventListener('wheel', event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(event));
  }, { passive: false });
  svg.addEventListener('dblclick', event => zoom(event.shiftKey ? 2 : 0.5, timeAt(event)));
  let held = null;
  svg.addEventListener('pointerdown', event => {
    held = timeAt(event);
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener('pointermove', event => held !== null && go(from + held - timeAt(event)));
  for (const end of ['pointerup', 'pointercancel']) svg.addEventListener(end, () => { held = null; });
  draw();
}

for (const svg of document.querySelectorAll('svg.timeline')) timeline(svg);
