#include "report/html_style.hpp"

#include "report/html_page.hpp"

namespace markeval::report {

std::string_view page_style() {
  return R"css(:root{color-scheme:light dark;--paper:#fff;--ink:#1c1d1f;--quiet:#63666a;--rule:#d4d6d7;--tint:#f4f4f2;--link:#1668a3;--warm:198,79,18}
@media screen and (prefers-color-scheme:dark){:root{--paper:#151719;--ink:#ececea;--quiet:#a3a6a9;--rule:#3a3e42;--tint:#1e2124;--link:#6cb3ea;--warm:240,143,85}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:74rem;padding:1.25rem clamp(.8rem,4vw,2.5rem) 4rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:break-word}
h1,h2,h3,.lead{font-family:Charter,'Bitstream Charter','Iowan Old Style','Sitka Text',Cambria,Georgia,serif;text-wrap:balance}
h1{font-size:clamp(1.65rem,5.2vw,2.5rem);line-height:1.15;margin:.1rem 0 .5rem;letter-spacing:-.01em}
h2{font-size:1.45rem;line-height:1.2;margin:0 0 .9rem}
h3{font-size:1.12rem;line-height:1.3;margin:1.9rem 0 .35rem}
p{margin:.35rem 0 .8rem;max-width:42rem}
.kicker{margin:0;color:var(--quiet);font-size:.82rem;letter-spacing:.04em}
.lead{color:var(--quiet);font-size:1.12rem;margin:0 0 .9rem}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.92rem}
a{color:var(--link);text-underline-offset:.18em;text-decoration-thickness:1px}
section,aside{margin-top:2.2rem;padding-top:1.3rem;border-top:2px solid var(--ink)}
aside.warnings{border-top:1px solid var(--rule);border-bottom:1px solid var(--rule);padding-bottom:.5rem}
aside h2{font-size:1.05rem;margin-bottom:.3rem}
aside ul{margin:.2rem 0;padding-left:1.1rem;font-size:.92rem}
.note{color:var(--quiet);font-size:.92rem}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:1.6rem 2.4rem;margin:.9rem 0 1.1rem;align-items:start}
.charts.two{max-width:51rem}
.beside{display:flex;flex-wrap:wrap;gap:0 3rem;align-items:flex-start}.beside>.charts{flex:0 1 24rem}.beside>div{min-width:0;max-width:100%}
.maps{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));gap:0 3rem;align-items:start}
.maps.one{grid-template-columns:minmax(0,1fr)}.maps>div{min-width:0}.maps svg.chart{max-width:28rem}.maps h3{margin-top:.6rem}
figure{margin:0;min-width:0}
svg.chart{display:block;width:100%;height:auto;max-width:34rem;overflow:visible}
table{border-collapse:collapse;font-size:.92rem;margin:.7rem 0 .5rem;max-width:100%}
th,td{text-align:left;vertical-align:baseline;padding:.26rem 1.1rem .26rem 0;border-bottom:1px solid var(--rule);font-weight:400}
thead th{color:var(--quiet);font-size:.85rem;border-bottom-color:var(--quiet);vertical-align:bottom}
th:last-child,td:last-child{padding-right:0}
.a{overflow-wrap:anywhere}
.lead strong{color:var(--ink);font-weight:600}
.b{font-weight:700}
.explore{display:flex;flex-wrap:wrap;gap:.5rem 1.2rem;font-size:.92rem;margin:.4rem 0 .8rem}
.explore label{color:var(--quiet)}.explore select,.explore input[type=search]{font:inherit;color:var(--ink);background:var(--tint);border:1px solid var(--rule);border-radius:4px;padding:.2rem .4rem;max-width:14rem}
#explore canvas{display:block;max-width:100%;cursor:pointer}
button.more{font:inherit;color:var(--link);background:var(--tint);border:1px solid var(--rule);border-radius:4px;padding:.3rem 1rem;cursor:pointer}
.n{text-align:right}td.n{white-space:nowrap}
.p{min-width:12rem;max-width:34rem;white-space:pre-wrap;overflow-wrap:anywhere}
.c,code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:.86em;overflow-wrap:anywhere}
small{color:var(--quiet);font-size:.86em}
th button{all:unset;cursor:pointer;border-radius:2px}
th button:hover{color:var(--ink);text-decoration:underline;text-underline-offset:.2em}
th button:focus-visible,summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
th[aria-sort] button{color:var(--ink);font-weight:600}
th[aria-sort=ascending] button::after{content:' \2191'}
th[aria-sort=descending] button::after{content:' \2193'}
input.filter{display:block;font:inherit;font-size:.9rem;color:inherit;background:var(--tint);border:1px solid var(--rule);border-radius:4px;padding:.3rem .55rem;width:min(100%,18rem);margin:.6rem 0 0}
.signature{color:var(--quiet);font-size:.84rem;margin:.1rem 0 .9rem;max-width:none}
.signature span{letter-spacing:.02em}
details{margin:.5rem 0 .8rem}
summary{cursor:pointer;color:var(--link);font-size:.92rem}
pre{background:var(--tint);border-radius:4px;padding:.8rem .9rem;white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0}
.pairs{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:1.8rem 2.4rem;margin:.8rem 0 1.2rem;align-items:start}
.pair{min-width:0}
.pair h4{margin:0 0 .3rem;font-size:.95rem;font-weight:600;display:flex;justify-content:space-between;gap:.6rem;border-bottom:1px solid var(--rule);padding-bottom:.2rem}
.pair p{font-size:.95rem;margin:.3rem 0 .5rem}
.pair p small{display:block;line-height:1.2}
.pair .chart{margin-top:.5rem}
.m1,.m2,.m3,.m4{border-radius:2px;box-decoration-break:clone;-webkit-box-decoration-break:clone}
.m1{background:rgba(var(--warm),.10)}.m2{background:rgba(var(--warm),.22)}
.m3{background:rgba(var(--warm),.36)}.m4{background:rgba(var(--warm),.52);text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:.2em}
@media (max-width:44rem){
table.stack,table.stack tbody,table.stack tr,table.stack td,table.stack th{display:block;width:100%}
table.stack thead{display:none}
.js table.stack thead{display:block}.js table.stack thead tr{display:flex;flex-wrap:wrap;gap:.1rem .9rem}
.js table.stack thead tr::before{content:"sort by";color:var(--quiet);font-size:.85rem;font-style:italic}
.js table.stack thead th{width:auto;padding:0;border:0}
table.stack tbody tr{border-bottom:1px solid var(--rule);padding:.45rem 0}
table.stack td,table.stack tbody th{border:0;padding:.05rem 0;text-align:left;white-space:normal}
table.stack tbody th{font-weight:600}
table.stack td{display:grid;grid-template-columns:minmax(6.5rem,34%) minmax(0,1fr);gap:.6rem}
table.stack td::before{content:attr(data-label);color:var(--quiet);font:.85em/1.6 system-ui,sans-serif;overflow-wrap:anywhere}
table.stack td:empty,table.stack td.p:empty{display:none}
.p{min-width:0}
}
@media print{
@page{margin:14mm}
body{max-width:none;padding:0;font-size:10pt}
nav,input.filter,.explore,button.more{display:none}
section{break-before:auto}
h2,h3,h4{break-after:avoid}
figure,.pair,tr,pre{break-inside:avoid}
details::details-content{content-visibility:visible;block-size:auto}
.charts,.pairs{grid-template-columns:repeat(2,1fr)}.beside>.charts{grid-template-columns:1fr}
.m1,.m2,.m3,.m4{-webkit-print-color-adjust:exact;print-color-adjust:exact}
svg.chart{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
)css";
}

std::string_view page_script() {
  return R"js(
document.documentElement.classList.add('js');
for (const table of document.querySelectorAll('table.sortable')) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const number = cell => cell.dataset.v === undefined ? NaN : +cell.dataset.v;
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const numeric = head.classList.contains('n'), was = head.getAttribute('aria-sort');
      const down = was ? was === 'ascending' : numeric, sign = down ? -1 : 1;
      const rows = [...body.rows].sort((one, other) => {
        const a = one.cells[column], b = other.cells[column];
        if (!numeric) return sign * a.textContent.localeCompare(b.textContent, 'en', {numeric: true});
        const x = number(a), y = number(b);
        return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : sign * (x - y);
      });
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      body.append(...rows);
    });
  });
  if (body.rows.length < 12) continue;
  const filter = document.createElement('input');
  filter.type = 'search';
  filter.className = 'filter';
  filter.placeholder = 'Filter ' + body.rows.length + ' rows';
  filter.setAttribute('aria-label', filter.placeholder);
  filter.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
    }
  });
  table.before(filter);
}
)js";
}

std::string_view page_script_hash() {
  return "YGzoAgoVNXAbE413Nv+CV4AN+3fhCAD9duMh76CIrlw=";
}

}  // namespace markeval::report
