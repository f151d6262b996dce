// Every page: tables that sort and filter; in a frame, its height for the page around it.
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
      // The first click puts the best on top: the largest, or the smallest where lower is better.
      const down = was ? was === 'ascending' : numeric && !head.classList.contains('l'), sign = down ? -1 : 1;
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
if (parent !== window) {
  document.body.classList.add('framed');
  new ResizeObserver(() => parent.postMessage({markevalHeight: document.body.offsetHeight}, '*')).observe(document.body);
}
