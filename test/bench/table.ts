import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { flatTable, type FlatRow } from './flatness/table.js';
import { conditionsOf, readRun, type Table } from './report.js';
import { costTable, speedTable, type Row } from './tables.js';
import { webhookTable, type WebhookRow } from './webhooks/table.js';

// Fills the tables of docs/benchmarks.md from the last full runs: tsx test/bench/table.ts

const FILE = path.resolve(import.meta.dirname, '../../docs/benchmarks.md');

const markdown = ([head = [], ...rows]: Table) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

/** @throws Error when the file has no lines `<!-- name:begin -->` and `<!-- name:end -->`. */
function fill(text: string, name: string, filling: string): string {
  const marked = new RegExp(`(<!-- ${name}:begin -->\\n)[\\s\\S]*?(<!-- ${name}:end -->)`);
  if (!marked.test(text)) throw new Error(`docs/benchmarks.md has no place for ${name}`);
  return text.replace(marked, (_all, begin: string, end: string) => `${begin}\n${filling}\n\n${end}`);
}

const before = readFileSync(FILE, 'utf8');
const works = readRun<Row>('results');
const flat = readRun<FlatRow>('flatness');
const webhooks = readRun<WebhookRow>('webhooks');
const tables = [speedTable(works), costTable(works)].map(markdown);
const fillings = {
  bench: [...tables, conditionsOf(works)].join('\n'),
  flat: `${markdown(flatTable(flat.rows))}\n${conditionsOf(flat)}`,
  webhooks: `${markdown(webhookTable(webhooks.rows))}\n${conditionsOf(webhooks)}`,
};
const filled = Object.entries(fillings).reduce((text, [name, filling]) => fill(text, name, filling), before);
writeFileSync(FILE, filled);
