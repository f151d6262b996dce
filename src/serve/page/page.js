// The page of markeval serve. Whatever a user or a file brings is put in by textContent or value, never as markup.
'use strict';

const byId = (id) => document.getElementById(id);
const KINDS = [
  ['lexical', 'Words and characters of a text and its reference'],
  ['pair', 'Token vectors of a text and its reference'],
  ['trained', 'Learned from human scores'],
  ['set', 'A set of texts against a set of references'],
];
const STAGES = {encoding: 'Reading texts'};  // words for people
let job = null;  // the state of the job that runs or was run last
let afterToken = null;  // what waits for the right token
const reads = new Set();  // files that are being read
const presets = new Map();  // by name, as /info has them
let setMetrics = new Set();

function make(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function headers(more) {
  const token = byId('token').value.trim();
  return token ? {Authorization: 'Bearer ' + token, ...more} : {...more};
}

class NeedsToken extends Error {}

async function ask(path, options = {}) {
  const answer = await fetch(path, {...options, headers: headers(options.headers)});
  if (answer.ok) return answer;
  if (answer.status === 401) {
    byId('token-status').textContent = byId('token').value ? 'This is not the right token.' : '';
    byId('token-field').hidden = false;
    if (presets.size === 0) byId('preset').replaceChildren(make('option', 'Tasks and metrics are listed after the token'));
    byId('token').focus();
    throw new NeedsToken('Enter the token first.');
  }
  let told = {error: 'The server answered ' + answer.status + '.', hint: ''};
  try {
    told = await answer.json();
  } catch (ignored) { /* not one of its own answers */ }
  // The hint to a full server's answer is for programs.
  if (answer.status === 429) throw new Error('The server is busy: ' + told.error + '. Press Run again in a minute; your texts stay here.');
  throw new Error(told.error + (told.hint ? (/[.!?]$/.test(told.error) ? ' ' : '. ') + told.hint : ''));
}

const post = (path, body, more = {}) => ask(path, {method: 'POST', headers: {'Content-Type': 'application/json', ...more}, body: JSON.stringify(body)});

function say(text, failed = false) {
  byId('start').hidden = byId('start').hidden || (text !== '' && !failed);
  byId('status').textContent = text;
  byId('status').className = failed ? 'failed' : '';
  if (failed) byId('told').scrollIntoView({block: 'nearest'});  // on a phone it stands below the form
}

// Does it, and once more when the token is right where it was asked for one.
// The field for a token says itself what is missing.
async function attempt(action, fail = (error) => error instanceof NeedsToken || say(error.message, true)) {
  try {
    await action();
  } catch (error) {
    if (error instanceof NeedsToken) afterToken = () => attempt(action, fail);
    fail(error);
  }
}

// ---- files: the server reads them as the command line does

const PACKED = [['xz', 0xfd, 0x37, 0x7a], ['bzip2', 0x42, 0x5a, 0x68], ['zstd', 0x28, 0xb5, 0x2f], ['zip', 0x50, 0x4b, 0x03]];  // first bytes

async function textOf(file) {
  let bytes = new Uint8Array(await file.arrayBuffer());
  for (const [name, ...start] of PACKED) {
    if (start.every((byte, index) => bytes[index] === byte))
      throw new Error(file.name + ' is compressed with ' + name + '. Unpack it first; of compressed files only .gz is read here.');
  }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const unpacked = file.stream().pipeThrough(new DecompressionStream('gzip'));
    try {
      bytes = new Uint8Array(await new Response(unpacked).arrayBuffer());
    } catch (ignored) {
      throw new Error(file.name + ' is damaged: it cannot be unpacked.');
    }
  }
  try {
    const text = new TextDecoder('utf-8', {fatal: true}).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch (ignored) { /* told below */ }
  throw new Error(file.name + ' is not UTF-8 text. Expected one text per line, .tsv, .csv or .jsonl, also with .gz.');
}

function show(box, texts, from) {
  const place = box.querySelector('.loaded'), area = box.querySelector('.texts');
  box.texts = texts;
  box.from = from;
  if (texts !== null && /are missing\.$|choose a column/.test(byId('status').textContent)) say('');  // it is there now
  place.replaceChildren();
  place.hidden = texts === null;
  area.hidden = texts !== null;
  tellTabs(box);
  if (texts === null) return;
  box.querySelector('.tabs').hidden = true;
  const head = make('p', from + ': ' + texts.length + (texts.length === 1 ? ' text. ' : ' texts. '));
  const other = make('button', 'Type texts instead', 'link');
  other.type = 'button';
  other.addEventListener('click', () => show(box, null));
  head.append(other);
  const list = make('ol');
  for (const text of texts.slice(0, 3)) list.append(make('li', [].concat(text).join(' | ')));
  place.append(head, list);
}

// A button for each column and the first of its texts, columns below each other: side by side the last ones would be
// out of sight.
function chooseColumn(box, table, take) {
  const place = box.querySelector('.loaded'), wrap = make('ul', undefined, 'columns');
  box.texts = null;
  table.columns.forEach((name, column) => {
    const button = make('button', name), line = make('li');
    button.type = 'button';
    button.addEventListener('click', () => take(name));
    line.append(button);
    for (const row of table.rows) line.append(make('span', row[column]));
    wrap.append(line);
  });
  place.replaceChildren(make('p', table.name + ' is a table. Which column has the texts?'), wrap);
  place.hidden = false;
  box.querySelector('.texts').hidden = box.querySelector('.tabs').hidden = true;
  wrap.querySelector('button').focus();
}

// Run waits for it. `work` ends with whether the texts are there.
function reading(work) {
  const read = work.finally(() => reads.delete(read));
  reads.add(read);
}

async function readFile(file, box) {
  let failed = false;
  const {texts, from} = box;
  const told = (error) => {
    failed = true;
    show(box, texts || null, from);  // what was there stays
    const before = byId('status').className === 'failed' ? byId('status').textContent + '\n' : '';  // of another file
    say(before + error.message, true);
  };
  await attempt(async () => {
    const content = await textOf(file), name = file.name.replace(/\.gz$/i, '');
    const read = async (column) => (await post('/v1/texts', column === undefined ? {name, content} : {name, content, column})).json();
    const taken = (answer, column) => {
      show(box, answer.texts, column === undefined ? file.name : file.name + ', column ' + column);
      const field = box.querySelector('.system-name');
      if (field) field.value = column === undefined ? name.replace(/\.[^.]*$/, '') || name : column;
    };
    const answer = await read();
    if (answer.texts) taken(answer);
    else chooseColumn(box, answer, (column) => {
      say('');
      reading(attempt(async () => taken(await read(column), column), told).then(() => !failed));
    });
  }, told);
  return !failed;
}

// Each of several files becomes a system of its own.
function takeFiles(files, box) {
  say('');
  [...files].forEach((file, index) => {
    const added = index > 0 && box.matches('.system') ? addSystem() : null;
    reading(readFile(file, added || box).then((read) => {
      if (!read && added) added.remove();
      countSystems();
      return read;
    }));
  });
}

function acceptFiles(box) {
  box.querySelector('.texts').addEventListener('input', () => tellTabs(box));
  box.addEventListener('dragover', (event) => {
    event.preventDefault();
    box.classList.add('over');
  });
  box.addEventListener('dragleave', () => box.classList.remove('over'));
  box.addEventListener('drop', (event) => {
    event.preventDefault();
    box.classList.remove('over');
    takeFiles(event.dataTransfer.files, box);
  });
  box.querySelector('input[type="file"]').addEventListener('change', (event) => {
    takeFiles(event.target.files, box);
    event.target.value = '';
  });
}

// ---- the form

function countSystems() {
  const boxes = [...byId('systems').children];
  byId('compare-field').hidden = boxes.length < 2;
  for (const box of boxes) box.querySelector('.remove').hidden = boxes.length < 2;
}

function addSystem(name, texts) {
  const box = byId('system').content.firstElementChild.cloneNode(true);
  const taken = [...document.querySelectorAll('.system-name')].map((field) => field.value);
  let number = 1;
  while (taken.includes('system' + number)) ++number;
  box.querySelector('.system-name').value = name || 'system' + number;
  box.querySelector('.texts').value = texts ? texts.join('\n') : '';
  box.texts = null;
  box.querySelector('.remove').addEventListener('click', () => {
    box.remove();
    countSystems();
  });
  acceptFiles(box);
  byId('systems').append(box);
  countSystems();
  tellLines();
  return box;
}

function useExample() {
  say('');
  const example = JSON.parse(byId('example').textContent);
  show(byId('reference-box'), null);
  byId('references').value = example.references.join('\n');
  byId('systems').replaceChildren();
  for (const system of example.systems) addSystem(system.name, system.texts);
  byId('run').focus();
}

function addMetrics(metrics) {
  byId('metrics').replaceChildren();
  for (const [kind, title] of KINDS) {
    // What needs a file of the user's cannot be computed here.
    const ready = metrics.filter((metric) => metric.kind === kind && !metric.options.some((option) => option.required));
    if (ready.length > 0) byId('metrics').append(make('h3', title));
    for (const metric of ready) {
      const row = make('div', undefined, 'metric'), label = make('label'), box = make('input', undefined, 'metric-box');
      box.type = 'checkbox';
      box.value = metric.name;
      label.append(box, ' ' + metric.name);
      row.append(label, make('span', metric.summary + (metric.better === 'lower' ? ' (lower is better)' : '')));
      byId('metrics').append(row);
    }
  }
}

const chosenMetrics = () => [...document.querySelectorAll('.metric-box:checked')].map((box) => box.value);

async function prepare() {
  const [info, metrics] = await Promise.all(['/info', '/v1/metrics'].map(async (path) => (await ask(path)).json()));
  byId('version').textContent = info.version;
  byId('preset').replaceChildren();
  byId('preset').disabled = false;
  for (const preset of info.presets) {
    presets.set(preset.name, preset.metrics);
    const option = make('option', preset.task + ': ' + preset.metrics.join(', '));
    option.value = preset.name;
    byId('preset').append(option);
  }
  byId('preset').append(make('option', 'Only single metrics, chosen below'));
  byId('preset').lastChild.value = '';
  addMetrics(metrics.metrics);
  byId('single').hidden = false;
  setMetrics = new Set(metrics.metrics.filter((metric) => metric.kind === 'set').map((metric) => metric.name));
  offerTest();
  byId('token-field').hidden = true;
}

// A test of set metrics scores hundreds of halves of the sets, which takes long: it is asked for, not a default.
function offerTest() {
  byId('compare').checked = !(presets.get(byId('preset').value) || []).some(isOfSets);
  tellLines();
}

const isOfSets = (metric) => setMetrics.has(metric.split(/[.:]/)[0]);

// Sets may differ in size; all other metrics go line by line.
function tellLines() {
  const all = [...(presets.get(byId('preset').value) || []), ...chosenMetrics()], sets = all.length > 0 && all.every(isOfSets);
  byId('lines').textContent = sets ? ' as two sets of texts' : ', line by line';
  byId('references').placeholder = 'One text per line. ' + (sets ? 'For these metrics the lines need not match those of a system.' : 'A tab between several references of a line.');
  for (const area of document.querySelectorAll('.system-texts')) area.placeholder = 'One text per line' + (sets ? '.' : ', as many lines as the references.');
}

async function useToken() {
  try {
    await prepare();
    const waiting = afterToken;
    afterToken = null;
    say('');
    if (waiting) await waiting();
  } catch (error) {
    byId('token-status').textContent = error instanceof NeedsToken ? 'This is not the right token.' : error.message;
  }
}

const linesOf = (box) => box.querySelector('.texts').value.replace(/\n$/, '').split('\n');

// A tab at an end of a line, as spreadsheets leave it, makes no empty reference.
function referencesOf(line) {
  const parts = line.split('\t').filter((part) => part.trim() !== '');
  return parts.length > 1 ? parts : parts[0] || '';
}

function textsOf(box) {
  if (box.texts) return box.texts;
  return box.id === 'reference-box' ? linesOf(box).map(referencesOf) : linesOf(box);
}

// How lines with tabs are read is told before Run: they often are a table that was pasted.
function tellTabs(box) {
  const lines = linesOf(box), tabbed = lines.filter((line) => line.includes('\t')).length, note = box.querySelector('.tabs');
  note.hidden = tabbed === 0;
  const some = tabbed + (tabbed === 1 ? ' line has a tab: ' : ' lines have tabs: ');
  const counts = lines.map((line) => [].concat(referencesOf(line)).length), most = Math.max(...counts);
  note.textContent = some + (box.id !== 'reference-box' ? 'paste one column, or drop the table here as a .tsv file.' :
    'read as ' + (Math.min(...counts) === most ? most : 'up to ' + most) + ' references of a line. Of a table, paste one column or drop the .tsv file here.');
}

function requestOfForm() {
  if (!byId('token-field').hidden) throw new NeedsToken('Enter the token first.');
  const boxes = [...byId('systems').children];
  for (const box of [byId('reference-box'), ...boxes]) {
    const what = box.id === 'reference-box' ? 'The references' : 'The texts of ' + box.querySelector('.system-name').value;
    if (!box.texts && !box.querySelector('.loaded').hidden) throw new Error(what + ': choose a column of the table first.');
    if (!box.texts && !box.querySelector('.texts').value.trim()) throw new Error(what + ' are missing.');
    if (!box.texts && box.id !== 'reference-box' && linesOf(box).some((line) => line.includes('\t')))
      throw new Error(what + ' hold tabs: paste one column, or drop the table as a .tsv file.');
  }
  const systems = boxes.map((box) => ({name: box.querySelector('.system-name').value, texts: textsOf(box)}));
  const request = {references: textsOf(byId('reference-box')), systems, metrics: chosenMetrics()};
  if (byId('preset').value) request.preset = byId('preset').value;
  if (!request.preset && request.metrics.length === 0) throw new Error('Choose a metric first.');
  const compare = byId('compare').checked && boxes.length > 1;
  if (byId('intervals').checked && !compare) request.resamples = 1000;
  return {kind: compare ? 'compare' : 'score', request};
}

// ---- the run

function showProgress(state) {
  const bar = byId('progress');
  if (state.progress) {
    bar.max = state.progress.total;
    bar.value = state.progress.done;
    const stage = STAGES[state.progress.stage] || state.progress.stage, number = (count) => count.toLocaleString('en');
    say(stage + ': ' + number(state.progress.done) + ' of ' + number(state.progress.total));
  } else {
    bar.removeAttribute('value');
    say(state.state === 'waiting' ? 'Waiting for its turn' : 'Running');
  }
}

function ended() {
  byId('run').disabled = false;
  byId('cancel').hidden = true;
  byId('progress').hidden = true;
}

function showEnd(state) {
  ended();
  if (state.state !== 'done') {
    say(state.state === 'cancelled' ? 'Stopped.' : state.error ? state.error.error : 'Failed.', state.state !== 'cancelled');
    return;
  }
  say('Done.');
  byId('downloads').hidden = false;
  byId('open').href = state.report;
  byId('report').src = state.report;
  byId('report').hidden = false;
  if (byId('outcome').getBoundingClientRect().top > innerHeight / 2) byId('outcome').scrollIntoView({behavior: 'smooth'});
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

async function run() {
  byId('downloads').hidden = true;
  byId('report').hidden = true;
  byId('run').disabled = true;
  if (reads.size > 0) say('Reading the files');
  if ((await Promise.all(reads)).includes(false)) return ended();  // why was said
  const body = requestOfForm();
  byId('progress').hidden = false;
  byId('progress').removeAttribute('value');
  say('Sending the texts');
  const key = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
  job = await (await post('/v1/jobs', body, {'Idempotency-Key': key})).json();
  byId('cancel').hidden = false;
  await follow('/v1/jobs/' + job.id);
}

async function save(path, name) {
  const link = make('a');
  link.href = URL.createObjectURL(await (await ask(path)).blob());
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A file that is dropped beside its field must not replace the page with itself, and what was typed with it.
for (const kind of ['dragover', 'drop']) addEventListener(kind, (event) => event.preventDefault());
// The report is as tall as its page: nothing scrolls inside it.
addEventListener('message', (event) => {
  if (event.source === byId('report').contentWindow && event.data.markevalHeight > 0)
    byId('report').style.height = Math.min(event.data.markevalHeight, 100000) + 'px';
});
acceptFiles(byId('reference-box'));
addSystem();
byId('add').addEventListener('click', () => addSystem().querySelector('.system-name').select());
byId('try').addEventListener('click', useExample);
byId('preset').addEventListener('change', offerTest);
byId('metrics').addEventListener('change', () => {
  tellLines();
  byId('chosen').textContent = chosenMetrics().length > 0 ? '(' + chosenMetrics().join(', ') + ')' : '';
});
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  attempt(run, (error) => {
    ended();
    say(error.message, true);
  });
});
byId('cancel').addEventListener('click', () => attempt(() => ask('/v1/jobs/' + job.id, {method: 'DELETE'})));
byId('save-json').addEventListener('click', () => attempt(() => save(job.result, 'markeval.json')));
byId('save-tsv').addEventListener('click', () => attempt(() => save(job.table, 'markeval.tsv')));
byId('save-html').addEventListener('click', () => attempt(() => save(job.report, 'markeval.html')));
byId('use-token').addEventListener('click', useToken);
byId('token').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  useToken();
});
attempt(prepare);
