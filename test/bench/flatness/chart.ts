import type { Flatness, FlatRow } from './results.js';

const WIDTH = 960;
const ROW = 26;
const LEFT = 300;
const RIGHT = 40;
const TOP = 76;
const COLORS = ['#9ecae1', '#4292c6', '#08519c'];

/** The medians as bars: one group per request, one bar per store size. */
export function chartOf({ rows, sizes, machine, date, commit }: Flatness): string {
  const most = Math.max(...rows.flatMap(({ medians }) => medians));
  const height = TOP + rows.length * ROW + 24;
  const scale = (WIDTH - LEFT - RIGHT - 40) / most;
  const title = `Median time of a request by size of the store (${machine.cpu}, ${machine.cores} cores, ${date}, ${commit})`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="16" y="26" font-size="14" font-weight="bold">${escaped(title)}</text>
${sizes.map((size, n) => legend(size, n)).join('\n')}
${rows.map((row, n) => group(row, TOP + n * ROW, scale)).join('\n')}
</svg>
`;
}

function legend(size: number, n: number): string {
  const x = 16 + n * 150;
  return `<rect x="${x}" y="42" width="12" height="12" fill="${COLORS[n]}"/><text x="${x + 18}" y="52">${size.toLocaleString('en')} orders</text>`;
}

function group({ name, medians }: FlatRow, y: number, scale: number): string {
  const bar = ROW / (medians.length + 1);
  const bars = medians.map((median, n) => {
    const width = Math.max(1, median * scale);
    return `<rect x="${LEFT}" y="${(y + n * bar).toFixed(1)}" width="${width.toFixed(1)}" height="${(bar - 1).toFixed(1)}" fill="${COLORS[n]}"/>`;
  });
  const longest = Math.max(...medians);
  const label = `<text x="${(LEFT + longest * scale + 6).toFixed(1)}" y="${y + ROW / 2 + 2}">${longest.toFixed(1)} ms</text>`;
  return `<text x="${LEFT - 8}" y="${y + ROW / 2 + 2}" text-anchor="end">${escaped(name)}</text>${bars.join('')}${label}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
