#include "report/html_explore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "report/html_text.hpp"

namespace markeval::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = std::size_t{14} << 20;  ///< of texts: pages stay below 20 MB

/// Four digits are enough to look at, and keep the page small.
Json rounded(const std::vector<double>& values, std::size_t count) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(count, values.size()); ++i)
    list.push_back(std::stod(fmt::format("{:.4g}", values[i])));
  return list;
}

/// A script element ends at "</script", whatever it holds.
std::string for_script(const Json& json) {
  const std::string text = json_text(json);
  std::string out;
  for (const char c : text) c == '<' ? out += "\\u003c" : out += c;
  return out;
}

}  // namespace

void SegmentTexts::add(const std::string* source, std::string reference, std::vector<std::string> texts) {
  ++total;
  if (bytes_ > kMostBytes) return;
  systems.resize(texts.size());
  if (source != nullptr) {
    bytes_ += source->size();
    sources.push_back(*source);
  }
  bytes_ += reference.size();
  for (std::size_t s = 0; s < texts.size(); ++s) {
    bytes_ += texts[s].size();
    systems[s].push_back(std::move(texts[s]));
  }
  references.push_back(std::move(reference));
}

std::string explore_html(const SegmentTexts& texts, const RunReport& run) {
  if (texts.references.empty()) return "";
  std::vector<std::string> systems, metrics;
  Json data{{"systems", Json::array()}, {"metrics", Json::array()}, {"scores", Json::array()}};
  for (const Result& result : run.results) {
    if (std::find(systems.begin(), systems.end(), result.system) == systems.end())
      systems.push_back(result.system);
    const metric::MetricInfo& info = metric::find_metric(result.metric);
    const auto main = std::find_if(result.segments.begin(), result.segments.end(),
                                   [&](const auto& one) { return one.first == info.main; });
    const auto shown = main != result.segments.end() ? main : result.segments.begin();
    if (shown == result.segments.end()) continue;  // it scores sets
    auto place = std::find(metrics.begin(), metrics.end(), result.requested);
    if (place == metrics.end()) {
      place = metrics.insert(metrics.end(), result.requested);
      data["metrics"].push_back(
          {{"name", result.requested}, {"higher", info.better == metric::Better::higher}});
      data["scores"].push_back(Json::array());
    }
    data["scores"][static_cast<std::size_t>(place - metrics.begin())].push_back(
        rounded(shown->second, texts.references.size()));
  }
  if (metrics.empty()) return "";
  data["systems"] = systems;
  if (!texts.sources.empty()) data["sources"] = texts.sources;
  data["references"] = texts.references;
  data["texts"] = texts.systems;
  std::string out;
  if (texts.references.size() < texts.total)
    out += fmt::format(
        "<p class=\"note\">The first {} of {} segments: the page would be too large with all.</p>\n",
        with_commas(texts.references.size()), with_commas(texts.total));
  out += "<noscript><p class=\"note\">Looking at single segments needs JavaScript.</p></noscript>\n";
  out += "<div id=\"explore\"></div>\n<script type=\"application/json\" id=\"segment-data\">" +
         for_script(data) + "</script>\n";
  return out + fmt::format("<script>{}</script>\n", explore_script());
}

std::string_view explore_script() {
  return R"js(
(() => {
  const data = JSON.parse(document.getElementById('segment-data').textContent);
  const root = document.getElementById('explore'), many = data.systems.length > 1, page = 12;
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
  const metric = choose('metric', data.metrics.map(m => m.name), 0);
  const first = choose('system', data.systems, many ? 1 : 0);
  const second = many ? choose('beside', [...data.systems, '(none)'], 0) : null;
  const orders = ['worst first', 'best first', 'in order', 'longest first', 'largest losses', 'largest wins'];
  const order = choose('order', many ? orders : orders.slice(0, 4), many ? 5 : 0);
  const search = make('input', make('label', form, 'search '));
  search.type = 'search';
  const same = make('input', make('label', form, 'texts equal to the reference '));
  same.type = 'checkbox';
  const chart = make('canvas', root), note = make('p', root, '', 'note'), list = make('div', root, undefined, 'pairs');
  const more = make('button', root, 'more', 'more');
  more.type = 'button';
  chart.setAttribute('role', 'img');
  chart.setAttribute('aria-label', 'Score by length of the reference');
  const words = text => text.split(/\s+/).filter(word => word);
  const lengths = data.references.map(text => words(text).length);
  let found = [], shown = 0, places = [];

  // Words that are no part of the longest common subsequence with the reference are marked, strongly where the
  // reference has no such word.
  const plain = word => word.toLowerCase().replace(/^\p{P}+|\p{P}+$/gu, '') || word;
  const marked = (to, text, reference) => {
    const written = words(text), a = written.map(plain), b = words(reference).map(plain), n = a.length, m = b.length;
    const best = Array.from({length: n + 1}, () => new Uint16Array(m + 1));
    for (let i = n - 1; i >= 0; --i)
      for (let j = m - 1; j >= 0; --j)
        best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    for (let i = 0, j = 0; i < n; ++i) {
      while (j < m && a[i] !== b[j] && best[i][j + 1] > best[i + 1][j]) ++j;
      const kept = j < m && a[i] === b[j];
      if (kept) ++j;
      kept ? to.append(written[i]) : make('span', to, written[i], b.includes(a[i]) ? 'm1' : 'm3');
      to.append(' ');
    }
  };
  const text = (to, name, written, reference) => {
    const line = make('p', to);
    line.dir = 'auto';
    make('small', line, name);
    if (!written) make('small', line, '(empty)');
    else if (reference === undefined) line.append(written);
    else marked(line, written, reference);
  };
  const show = segment => {
    const a = +first.value, b = second ? +second.value : -1, beside = b >= 0 && b < data.systems.length && b !== a;
    const card = make('div', list, undefined, 'pair'), head = make('h4', card);
    card.id = 'segment-' + (segment + 1);
    make('a', head, 'segment ' + (segment + 1)).href = '#' + card.id;
    const scores = data.scores[metric.value];
    make('span', head, data.metrics[metric.value].name + ' ' + scores[a][segment] +
      (beside ? ' beside ' + scores[b][segment] : ''));
    const reference = data.references[segment];
    if (data.sources) text(card, 'source', data.sources[segment]);
    text(card, 'reference', reference);
    text(card, data.systems[a], data.texts[a][segment], reference);
    if (beside) text(card, data.systems[b], data.texts[b][segment], reference);
    if (data.metrics.length > 1)
      make('p', card, data.metrics.map((m, i) => m.name + ' ' + data.scores[i][a][segment] +
        (beside ? ' / ' + data.scores[i][b][segment] : '')).join(', '), 'note');
  };
  const draw = () => {
    const width = root.clientWidth, height = 150, scale = devicePixelRatio || 1;
    chart.style.width = width + 'px';
    chart.style.height = height + 'px';
    chart.width = width * scale;
    chart.height = height * scale;
    const pen = chart.getContext('2d'), style = getComputedStyle(document.documentElement);
    pen.scale(scale, scale);
    const values = data.scores[metric.value][first.value];
    const least = list => list.reduce((a, b) => Math.min(a, b)), most = list => list.reduce((a, b) => Math.max(a, b));
    const low = least(values), high = most(values), shortest = least(lengths), longest = most(lengths);
    const x = i => 44 + (lengths[i] - shortest) / Math.max(1, longest - shortest) * (width - 54);
    const y = v => height - 24 - (high > low ? (v - low) / (high - low) : .5) * (height - 40);
    pen.fillStyle = style.getPropertyValue('--link');
    pen.globalAlpha = values.length > 500 ? .35 : .7;
    places = values.map((v, i) => [x(i), y(v)]);
    for (const i of found) pen.fillRect(places[i][0] - 2, places[i][1] - 2, 4, 4);
    pen.globalAlpha = 1;
    pen.fillStyle = style.getPropertyValue('--quiet');
    pen.font = '12px system-ui, sans-serif';
    pen.fillText(high, 0, 14);
    pen.fillText(low, 0, height - 26);
    pen.fillText('words of the reference: ' + shortest + ' to ' + longest, 44, height - 4);
  };
  const fill = () => {
    for (const end = Math.min(shown + page, found.length); shown < end; ++shown) show(found[shown]);
    more.hidden = shown >= found.length;
  };
  const update = () => {
    const a = +first.value, b = second ? +second.value : -1, beside = b >= 0 && b < data.systems.length && b !== a;
    const scores = data.scores[metric.value], sign = data.metrics[metric.value].higher ? 1 : -1;
    const wanted = words(search.value.toLowerCase()), link = /^#segment-(\d+)$/.exec(location.hash);
    found = data.references.map((_, i) => i).filter(i => {
      if (link) return i + 1 === +link[1];
      if (!same.checked && data.texts[a][i] === data.references[i]) return false;
      const all = [data.sources ? data.sources[i] : '', data.references[i], data.texts[a][i], beside ? data.texts[b][i] : '']
        .join(' ').toLowerCase();
      return wanted.every(word => all.includes(word));
    });
    const gain = i => sign * (scores[a][i] - scores[b][i]), worth = i => sign * scores[a][i];
    const key = [worth, i => -worth(i), i => i, i => -lengths[i], beside ? gain : worth, beside ? i => -gain(i) : i => -worth(i)];
    found.sort((i, j) => key[+order.value](i) - key[+order.value](j) || i - j);
    list.textContent = '';
    shown = 0;
    note.textContent = link ? 'One segment is shown; any choice above shows all again.' :
      found.length + ' of ' + data.references.length + ' segments. Words that are not in the reference are marked, faintly those that stand elsewhere in it. ' +
      'The chart shows ' + data.systems[a] + '; a click on it shows the segment.';
    fill();
    draw();
  };
  const again = () => { if (location.hash.startsWith('#segment-')) history.replaceState(null, '', ' '); update(); };
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
    if (location.hash.startsWith('#segment-')) root.scrollIntoView();
  };
  addEventListener('hashchange', follow);
  addEventListener('resize', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  follow();
})();
)js";
}

std::string_view explore_script_hash() {
  return "Txv1FonczRHz8jmBfD96ypsCHlaSQmR67OFWVc9H/Xk=";
}

}  // namespace markeval::report
