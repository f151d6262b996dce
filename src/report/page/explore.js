// "Look at segments": every text and score of the page, sorted and searched, with a scatter of the scores.
(() => {
  const data = JSON.parse(document.getElementById('segment-data').textContent);
  const root = document.getElementById('explore'), count = data.systems.length, page = innerWidth < 640 ? 4 : 12;
  const references = data.references.map(one => Array.isArray(one) ? one : [one]);
  const make = (tag, to, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    to.append(made);
    return made;
  };
  const form = make('form', root, undefined, 'explore');
  const choose = (label, names, start) => {
    const box = make('label', form, label + ' '), list = make('select', box);
    names.forEach((name, i) => { make('option', list, name).value = i; });
    list.value = start;
    return list;
  };
  const check = (label, on) => {
    const box = make('label', form), tick = make('input', box);
    tick.type = 'checkbox';
    tick.checked = on;
    box.append(' ' + label);
    return tick;
  };
  const metric = choose('metric', data.metrics.map(m => m.name), 0);
  const first = choose('system', data.systems, data.first);
  first.parentElement.hidden = count < 2;
  const second = count > 1 ? choose('compared with', data.systems, data.second) : null;
  const order = choose('order', ['worst first', 'best first', 'as in the file', 'longest first',
    ...count > 1 ? ['', '', 'most above and most below'] : []], count > 1 ? 6 : 0);
  const everyone = count > 2 ? check('all ' + count + ' systems', count < 5) : null;
  const search = make('input', make('label', form, 'search '));
  search.type = 'search';
  const same = check('also texts equal to a reference', false);
  const body = make('div', root, undefined, 'explored'), side = make('div', body), main = make('div', body);
  const chart = make('canvas', side), note = make('p', side, '', 'note'), about = make('p', main, '', 'chosen'), list = make('div', main);
  const more = make('button', main, 'more segments', 'more');
  more.type = 'button';
  chart.setAttribute('role', 'img');

  // Words; of scripts that put no blank between them, characters.
  const alone = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Khmr}\\p{scx=Laoo}\\p{scx=Mymr}';
  const pieces = new RegExp('[' + alone + ']|[^\\s' + alone + ']+', 'gu');
  const words = text => text.match(pieces) || [];
  // Straight and curly apostrophes count as the same.
  const plain = word => word.toLowerCase().replace(/[\u2018\u2019\u02bc]/g, "'").replace(/^\p{P}+|\p{P}+$/gu, '') || word;
  const lengths = references.map(all => Math.round(all.reduce((sum, text) => sum + words(text).length, 0) / all.length));
  // Of one metric all scores have the same digits, as in the tables.
  const decimals = data.scores.map(all => all.some(some => some.some(score => Math.abs(score) >= 10)) ? 2 : 4);
  let found = [], shown = 0, places = [];

  // Words that are no part of the longest common subsequence with the reference are marked, strongly where the
  // reference has no such word.
  const marked = (to, text, reference) => {
    const spots = [...text.matchAll(pieces)], a = spots.map(one => plain(one[0])), b = words(reference).map(plain);
    const n = a.length, m = b.length, best = Array.from({length: n + 1}, () => new Uint16Array(m + 1));
    for (let i = n - 1; i >= 0; --i)
      for (let j = m - 1; j >= 0; --j)
        best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    let end = 0;
    for (let i = 0, j = 0; i < n; ++i) {
      while (j < m && a[i] !== b[j] && best[i][j + 1] > best[i + 1][j]) ++j;
      const kept = j < m && a[i] === b[j], word = spots[i][0];
      if (kept) ++j;
      to.append(text.slice(end, spots[i].index));
      kept ? to.append(word) : make('span', to, word, b.includes(a[i]) ? 'm1' : 'm3');
      end = spots[i].index + word.length;
    }
    to.append(text.slice(end));
  };
  // The reference that shares most words with a text.
  const closest = (segment, text) => {
    const mine = new Set(words(text).map(plain));
    const share = references[segment].map(one => {
      const theirs = new Set(words(one).map(plain));
      return 2 * [...theirs].filter(word => mine.has(word)).length / (theirs.size + mine.size || 1);
    });
    return share.indexOf(Math.max(...share));
  };
  const line = (to, name, written, reference) => {
    if (name) make('div', to, name, 'who');
    const text = make('p', to);
    text.dir = 'auto';
    if (!written) make('small', text, '(empty)');
    else if (reference === undefined) text.append(written);
    else marked(text, written, reference);
  };
  const rank = segment => {
    const scores = data.scores[metric.value], sign = data.metrics[metric.value].higher ? -1 : 1;
    return data.systems.map((_, s) => s).sort((s, t) => sign * (scores[s][segment] - scores[t][segment]) || s - t);
  };
  const chosen = () => second && second.value !== first.value ? [+first.value, +second.value] : [+first.value];
  const fillCard = (card, segment, all) => {
    card.textContent = '';
    make('a', make('h4', card), 'segment ' + (segment + 1)).href = '#' + card.id;
    const given = make('div', card, undefined, 'given'), several = references[segment].length;
    if (data.sources) line(given, 'source', data.sources[segment]);
    // Of several references each text stands beside its own: a good text may follow any of them.
    const near = data.texts.map(texts => closest(segment, texts[segment]));
    const open = new Set(chosen().map(s => near[s])), folded = several - open.size;
    for (const i of open) {
      const whose = chosen().filter(s => near[s] === i).map(s => data.systems[s]).join(' and ');
      line(given, several > 1 ? 'reference ' + (i + 1) + ' of ' + several + ', closest to ' + whose : 'reference', references[segment][i]);
    }
    if (folded > 0) {
      const rest = make('details', given);
      make('summary', rest, folded + (folded > 1 ? ' other references' : ' other reference'));
      references[segment].forEach((text, i) => { if (!open.has(i)) line(rest, 'reference ' + (i + 1), text); });
    }
    const texts = make('div', card, undefined, all ? 'texts all' : 'texts');
    for (const s of all ? rank(segment) : chosen()) {
      const box = make('div', texts), who = make('div', box, undefined, 'who');
      make('b', who, data.systems[s]);
      data.metrics.forEach((m, i) => {
        make(i === +metric.value ? 'b' : 'i', who, m.name + ' ' + data.scores[i][s][segment].toFixed(decimals[i])).className = 'score';
      });
      if (several > 1) make('i', who, 'beside reference ' + (near[s] + 1)).className = 'score beside';
      line(box, '', data.texts[s][segment], references[segment][near[s]]);
    }
    if (all || count < 3) return;
    const button = make('button', card, 'all ' + count + ' systems', 'more');
    button.type = 'button';
    button.addEventListener('click', () => fillCard(card, segment, true));
  };
  const linked = () => /^#segment-(\d+)$/.exec(location.hash);
  const show = segment => {
    const card = make('div', list, undefined, 'seg');
    card.id = 'segment-' + (segment + 1);
    fillCard(card, segment, everyone ? everyone.checked || !!linked() : false);
  };

  // Round numbers that part a range into about four.
  const ticks = (low, high) => {
    const rough = (high - low) / 4 || 1, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(one => one * power).find(one => one >= rough), list = [];
    for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) list.push(+at.toPrecision(6));
    return list;
  };
  const draw = () => {
    const width = side.clientWidth, height = 250, scale = devicePixelRatio || 1, left = 44, bottom = 40, top = 26;
    chart.style.width = width + 'px';
    chart.style.height = height + 'px';
    chart.width = width * scale;
    chart.height = height * scale;
    const pen = chart.getContext('2d'), style = getComputedStyle(document.documentElement);
    const colour = name => style.getPropertyValue(name);
    const named = data.metrics[metric.value], values = data.scores[metric.value][first.value];
    const range = list => [list.reduce((a, b) => Math.min(a, b)), list.reduce((a, b) => Math.max(a, b))];
    let [low, high] = range(values), [shortest, longest] = range(lengths);
    if (low === high) [low, high] = [low - .5, high + .5];
    if (shortest === longest) [shortest, longest] = [shortest - 1, longest + 1];
    const x = v => left + 6 + (v - shortest) / (longest - shortest) * (width - left - 14);
    const y = v => height - bottom - 6 - (v - low) / (high - low) * (height - bottom - top - 12);
    pen.scale(scale, scale);
    pen.font = '12px system-ui, sans-serif';
    pen.fillStyle = colour('--quiet');
    pen.strokeStyle = colour('--rule');
    pen.beginPath();
    pen.textAlign = 'right';
    for (const v of ticks(low, high)) {
      pen.moveTo(left, Math.round(y(v)) + .5);
      pen.lineTo(width, Math.round(y(v)) + .5);
      pen.fillText(v, left - 6, y(v) + 4);
    }
    pen.textAlign = 'center';
    for (const v of ticks(shortest, longest))  // the last number may stand at the edge
      pen.fillText(v, Math.min(x(v), width - pen.measureText(v).width / 2), height - bottom + 14);
    pen.stroke();
    pen.textAlign = 'right';
    pen.fillText('words of ' + (references[0].length > 1 ? 'its references, mean' : 'its reference') + ' \u2192', width - 2, height - 6);
    pen.textAlign = 'left';
    pen.fillText('\u2191 ' + named.name + ' of a segment (' + (named.higher ? 'higher' : 'lower') + ' is better)', 0, 13);
    pen.fillStyle = colour('--link');
    pen.globalAlpha = values.length > 500 ? .35 : .7;
    places = values.map((v, i) => [x(lengths[i]), y(v)]);
    for (const i of found) {
      pen.beginPath();
      pen.arc(...places[i], 2.6, 0, 7);
      pen.fill();
    }
    chart.setAttribute('aria-label', named.name + ' of segments of ' + data.systems[first.value] + ' by length of the reference');
  };
  const fill = () => {
    for (const end = Math.min(shown + page, found.length); shown < end; ++shown) show(found[shown]);
    more.hidden = shown >= found.length;
  };
  // The largest difference first, those above and those below in turn; equal scores last.
  const bothWays = (sorted, above) => {
    const up = sorted.filter(i => above(i) > 0), down = sorted.filter(i => above(i) < 0).reverse(), mixed = [];
    for (let i = 0; i < Math.max(up.length, down.length); ++i) mixed.push(...up.slice(i, i + 1), ...down.slice(i, i + 1));
    return [...mixed, ...sorted.filter(i => !(above(i) > 0 || above(i) < 0))];
  };
  // Which segments are on top, and that all of them together may say the opposite.
  const chosenLine = (a, b) => {
    const [one, other] = [data.systems[a], data.systems[b]], name = data.metrics[metric.value].name;
    const all = data.totals[metric.value], gap = all[a] - all[b], below = 'where ' + one + ' is most below ' + other;
    const what = {4: below, 5: 'where ' + one + ' is most above ' + other, 6: 'where ' + one + ' is most above ' + other + ', and the other way round'};
    const told = gap ? one + ' is ' + (gap > 0 ? 'higher (+' : 'lower (') + +gap.toPrecision(3) + ' ' + name + ')' : 'both have the same ' + name;
    return (what[order.value] ? 'Chosen: ' + what[order.value] + '. ' : '') + 'Over all segments ' + told + '. The scores below are of single segments.';
  };
  const update = () => {
    const [a, b] = chosen(), beside = b !== undefined, link = linked();
    const scores = data.scores[metric.value], sign = data.metrics[metric.value].higher ? 1 : -1;
    const wanted = search.value.toLowerCase().split(/\s+/).filter(word => word);
    if (second) {
      const other = beside ? data.systems[b] : 'the other';
      order.options[4].textContent = data.systems[a] + ' most below ' + other;
      order.options[5].textContent = data.systems[a] + ' most above ' + other;
    }
    found = references.map((_, i) => i).filter(i => {
      if (link) return i + 1 === +link[1];
      if (!same.checked && references[i].includes(data.texts[a][i])) return false;
      const all = [data.sources ? data.sources[i] : '', ...references[i], ...data.texts.map(texts => texts[i])].join(' ').toLowerCase();
      return wanted.every(word => all.includes(word));
    });
    const above = i => scores[a][i] - (beside ? scores[b][i] : 0), worth = i => sign * scores[a][i];
    const key = [worth, i => -worth(i), i => i, i => -lengths[i], above, i => -above(i), i => -above(i)][+order.value];
    found.sort((i, j) => key(i) - key(j) || i - j);
    if (order.value === '6' && beside) found = bothWays(found, above);
    about.textContent = !link && beside ? chosenLine(a, b) : '';
    about.hidden = !about.textContent;
    list.textContent = '';
    if (found.length === 0)
      make('p', list, wanted.length ? 'No segment has these words.' : 'All texts of ' + data.systems[a] + ' are equal to a reference; \u201calso texts equal to a reference\u201d shows them.', 'note');
    shown = 0;
    note.textContent = link ? 'One segment is shown; any choice above shows all again.' :
      'Each dot is a segment of ' + data.systems[a] + ': a click shows it. ' + found.length + ' of ' + references.length +
      ' segments are listed. Marked words are not in the reference' + (references[0].length > 1 ? ' named beside the text' : '') + '; faintly marked words stand elsewhere in it.';
    fill();
    draw();
  };
  const again = () => { if (linked()) history.replaceState(null, '', ' '); update(); };
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('input', again);
  more.addEventListener('click', fill);
  chart.addEventListener('click', event => {
    const box = chart.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let best = -1, least = 400;
    for (const i of found) {
      const distance = (places[i][0] - x) ** 2 + (places[i][1] - y) ** 2;
      if (distance < least) [least, best] = [distance, i];
    }
    if (best >= 0) location.hash = '#segment-' + (best + 1);
  });
  const follow = () => {
    update();
    if (linked()) root.scrollIntoView();
  };
  addEventListener('hashchange', follow);
  addEventListener('resize', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  follow();
})();
