// The page of markeval serve. Whatever a user or a file brings is put in by textContent or value, never as markup.
'use strict';

const byId = (id) => document.getElementById(id);
let job = null;  // the state of the job that runs or was run last

function headers(more) {
  const token = byId('token').value.trim();
  return token ? {Authorization: 'Bearer ' + token, ...more} : {...more};
}

async function ask(path, options = {}) {
  const answer = await fetch(path, {...options, headers: headers(options.headers)});
  if (answer.status === 401) byId('token-field').hidden = false;
  if (answer.ok) return answer;
  let told = {error: 'The server answered ' + answer.status + '.', hint: ''};
  try {
    told = await answer.json();
  } catch (ignored) { /* not one of its own answers */ }
  throw new Error(told.error + (told.hint ? ' ' + told.hint : ''));
}

function say(text, failed = false) {
  byId('outcome').hidden = false;
  byId('status').textContent = text;
  byId('status').className = failed ? 'failed' : '';
}

// Texts of a file: every line; of .jsonl the first text of every object; of .tsv the first column, with all columns
// where several references may stand.
function linesOf(text, name, several) {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
  if (name.endsWith('.jsonl')) {
    return lines.map((line, index) => {
      const value = JSON.parse(line);
      const found = typeof value === 'string' ? value : Object.values(value).find((one) => typeof one === 'string');
      if (found === undefined) throw new Error(name + ', line ' + (index + 1) + ': no text');
      return found.replace(/[\t\n]/g, ' ');
    });
  }
  return name.endsWith('.tsv') && !several ? lines.map((line) => line.split('\t')[0]) : lines;
}

async function takeFile(file, area, several) {
  try {
    area.value = linesOf(await file.text(), file.name.toLowerCase(), several).join('\n');
  } catch (error) {
    say('The file could not be read: ' + error.message, true);
  }
}

function acceptFiles(box, area, several) {
  box.addEventListener('dragover', (event) => {
    event.preventDefault();
    box.classList.add('over');
  });
  box.addEventListener('dragleave', () => box.classList.remove('over'));
  box.addEventListener('drop', (event) => {
    event.preventDefault();
    box.classList.remove('over');
    if (event.dataTransfer.files.length > 0) takeFile(event.dataTransfer.files[0], area, several);
  });
  box.querySelector('input[type="file"]').addEventListener('change', (event) => {
    if (event.target.files.length > 0) takeFile(event.target.files[0], area, several);
  });
}

function addSystem() {
  const box = byId('system').content.firstElementChild.cloneNode(true);
  const number = byId('systems').children.length + 1;
  box.querySelector('legend').textContent = 'System ' + number;
  box.querySelector('.system-name').value = 'system' + number;
  box.querySelector('.remove').addEventListener('click', () => {
    if (byId('systems').children.length > 1) box.remove();
  });
  acceptFiles(box, box.querySelector('.system-texts'), false);
  byId('systems').append(box);
}

function addMetric(metric) {
  const row = document.createElement('div');
  row.className = 'metric';
  const label = document.createElement('label');
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.value = metric.name;
  box.className = 'metric-box';
  label.append(box, ' ' + metric.name);
  const explanation = document.createElement('span');
  explanation.textContent = metric.summary + ' (' + metric.better + ' is better)';
  row.append(label, explanation);
  byId('metrics').append(row);
}

async function prepare() {
  const [info, metrics] = await Promise.all(['/info', '/v1/metrics'].map(async (path) => (await ask(path)).json()));
  byId('preset').replaceChildren();
  for (const preset of info.presets) {
    const option = document.createElement('option');
    option.value = preset.name;
    option.textContent = preset.task + ': ' + preset.metrics.join(', ');
    byId('preset').append(option);
  }
  const none = document.createElement('option');
  none.value = '';
  none.textContent = 'Only those chosen below';
  byId('preset').append(none);
  byId('metrics').replaceChildren();
  metrics.metrics.forEach(addMetric);
}

function requestOfForm() {
  const texts = (area) => area.value.replace(/\n$/, '').split('\n');
  const references = texts(byId('references')).map((line) => line.includes('\t') ? line.split('\t') : line);
  const systems = [...byId('systems').children].map((box) => ({
    name: box.querySelector('.system-name').value,
    texts: texts(box.querySelector('.system-texts')),
  }));
  const request = {references, systems, metrics: [...document.querySelectorAll('.metric-box:checked')].map((box) => box.value)};
  if (byId('preset').value) request.preset = byId('preset').value;
  const compare = byId('compare').checked;
  if (byId('intervals').checked && !compare) request.resamples = 1000;
  return {kind: compare ? 'compare' : 'score', request};
}

function showProgress(state) {
  const bar = byId('progress');
  if (state.progress) {
    bar.max = state.progress.total;
    bar.value = state.progress.done;
    say(state.progress.stage + ': ' + state.progress.done + ' of ' + state.progress.total);
  } else {
    bar.removeAttribute('value');
    say(state.state === 'waiting' ? 'Waiting for its turn' : 'Running');
  }
}

function showEnd(state) {
  byId('run').disabled = false;
  byId('cancel').hidden = true;
  byId('progress').hidden = true;
  if (state.state !== 'done') {
    say(state.state === 'cancelled' ? 'Stopped.' : state.error ? state.error.error : 'Failed.', state.state !== 'cancelled');
    return;
  }
  say('Done.');
  byId('downloads').hidden = false;
  byId('open').href = state.report;
  byId('report').src = state.report;
  byId('report').hidden = false;
}

// By looking again and again: an EventSource cannot send a token.
async function follow(place) {
  for (;;) {
    job = await (await ask(place)).json();
    if (job.ended) return showEnd(job);
    showProgress(job);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

async function run(event) {
  event.preventDefault();
  byId('run').disabled = true;
  byId('downloads').hidden = true;
  byId('report').hidden = true;
  byId('progress').hidden = false;
  byId('progress').removeAttribute('value');
  say('Sending the texts');
  try {
    const answer = await ask('/v1/jobs', {
      method: 'POST',
      headers: {'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID ? crypto.randomUUID() : String(Math.random())},
      body: JSON.stringify(requestOfForm()),
    });
    job = await answer.json();
    byId('cancel').hidden = false;
    await follow('/v1/jobs/' + job.id);
  } catch (error) {
    byId('run').disabled = false;
    byId('cancel').hidden = true;
    byId('progress').hidden = true;
    say(error.message, true);
  }
}

async function save(path, name) {
  try {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await (await ask(path)).blob());
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  } catch (error) {
    say(error.message, true);
  }
}

// A file that is dropped beside its field must not replace the page with itself, and what was typed with it.
for (const kind of ['dragover', 'drop']) addEventListener(kind, (event) => event.preventDefault());
acceptFiles(document.querySelector('.drop'), byId('references'), true);
addSystem();
byId('add').addEventListener('click', addSystem);
byId('form').addEventListener('submit', run);
byId('cancel').addEventListener('click', () => ask('/v1/jobs/' + job.id, {method: 'DELETE'}).catch((error) => say(error.message, true)));
byId('save-json').addEventListener('click', () => save(job.result, 'markeval.json'));
byId('save-tsv').addEventListener('click', () => save(job.table, 'markeval.tsv'));
byId('save-html').addEventListener('click', () => save(job.report, 'markeval.html'));
byId('token').addEventListener('change', () => prepare().then(() => say('The token is right.'), (error) => say(error.message, true)));
prepare().catch((error) => say(error.message, true));
