import { MAX_HEADER_LINES } from '../../../apps/api/src/http/server/create-server.js';
import { sendRaw } from '../../support/raw-http.js';
import type { Scene } from './scene.js';

const BODY = 250 * 1024;
const IMPORT = 2_000 * 1024;
const HEAD = 12 * 1024;
/** The slowest of these bodies to parse. */
const MANY_KEYS = `{"lines":[{"kind":"product","slug":"a","name":"a","price":"1","brand":"none",${keysOf(95_000)}}]}`;
const DOCUMENTED: ReadonlySet<number> = new Set([200, 400, 401, 404]);

/** The most expensive requests within the limits: no other client may have to wait for them. */
export async function sendHeavy(scene: Scene, times: number): Promise<void> {
  const all = [...bodies(), ...imports(), ...heads()].map(
    ([name, request]) => [name, request(scene.store.key)] as const,
  );
  for (let n = 0; n < times; n++) {
    for (const [name, bytes] of all) {
      const fault = await faultOfBytes(scene, bytes);
      if (fault !== null) scene.violations.push(`${name}: ${fault.slice(0, 300)}`);
    }
  }
}

/** Returns how long this machine parses the slowest body, in milliseconds, at its fastest of five. */
export function slowestParse(): number {
  const times = Array.from({ length: 5 }, () => {
    const begin = performance.now();
    JSON.parse(MANY_KEYS);
    return performance.now() - begin;
  });
  return Math.min(...times);
}

async function faultOfBytes(scene: Scene, bytes: Buffer): Promise<string | null> {
  scene.sent++;
  try {
    const response = await sendRaw(Number(new URL(scene.service.url).port), bytes, { waitMs: 10_000 });
    if (!DOCUMENTED.has(response.status)) return `answered ${response.status}`;
    response.json();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type Heavy = readonly [name: string, request: (key: string) => Buffer];

function bodies(): Heavy[] {
  const filled = (start: string, unit: string, end: string) => fill(BODY, start, unit, end);
  const keys = keysOf(20_000);
  const prices = Array.from({ length: 500 }, (_, n) => ({
    sku: `${n}`.repeat(50),
    price: 9.5,
    expected: '9.999999999',
  }));
  const order = (field: string) => `{"items":[{"product_id":1,"quantity":1}],"customer":{"name":"Ada",${field}`;
  return (
    [
      ['open brackets', filled('', '[', '')],
      ['nested objects', filled('', '{"a":', '')],
      ['many keys', `{${keys}}`],
      ['many objects for items', filled('{"items":[', '{},', '{}]}')],
      ['many escapes', filled('{"notes":"', '\\u0000', '"}')],
      ['many digits', filled('{"items":', '9', '}')],
      ['an e-mail of @', filled(order('"email":"'), '@', '"}}')],
      ['an e-mail without end', filled(order('"email":"'), 'a', '"}}')],
      ['many prices', JSON.stringify({ lines: prices }), '/v1/prices'],
    ] as const
  ).map(([name, text, path = '/v1/orders']) => posted(name, path, 'application/json', text));
}

/** Returns imports whose lines are refused. */
function imports(): Heavy[] {
  const filled = (start: string, unit: string, end: string) => fill(IMPORT, start, unit, end);
  const product = '"kind":"product","slug":"a","name":"a","price":"1","brand":"none"';
  const ofLines = (line: string) => `{"lines":[${Array(500).fill(line).join()}]}`;
  const attributes = keysOf(90).replaceAll(':1', ':"x"');
  return [
    posted('an import of many values', '/v1/import', 'application/json', filled('{"lines":[[', '1,', '1]]}')),
    posted('a line of many keys', '/v1/import', 'application/json', MANY_KEYS),
    posted(
      'many variants',
      '/v1/import',
      'application/json',
      filled(`{"lines":[{${product},"variants":[`, '{},', '{}]}]}'),
    ),
    posted(
      'many attributes',
      '/v1/import',
      'application/json',
      ofLines(
        `{${product},"variants":[{"sku":"a","name":"a","attributes":{${attributes}}},{"sku":"b","name":"b","attributes":{${attributes}}}]}`,
      ),
    ),
    posted(
      'lines that are no JSON',
      '/v1/import',
      'application/x-ndjson',
      filled('', `${'{'.repeat(8)}${'x'.repeat(4_100)}\n`, ''),
    ),
    posted('a line of @', '/v1/import', 'application/x-ndjson', filled('{"kind":"customer","email":"', '@', '"}')),
  ];
}

function posted(name: string, path: string, type: string, text: string): Heavy {
  const head = `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}`;
  return [name, (key) => Buffer.from(`${requestHead(`POST ${path}`, key)}${head}\r\n\r\n${text}`)];
}

function fill(bytes: number, start: string, unit: string, end: string): string {
  return start + unit.repeat((bytes - start.length - end.length) / Buffer.byteLength(unit)) + end;
}

function keysOf(count: number): string {
  return Array.from({ length: count }, (_, n) => `"k${n}":1`).join();
}

function heads(): Heavy[] {
  const parameters = Array.from({ length: HEAD / 5 }, (_, n) => `${n % 1000}=`).join('&');
  return (
    [
      ['a search of %', `/v1/products?search=${'%25'.repeat(HEAD / 3)}`, ''],
      ['a search of _', `/v1/customers?search=${'_'.repeat(HEAD)}`, ''],
      ['a search of NULs', `/v1/brands?search=${'%00'.repeat(HEAD / 3)}`, ''],
      ['many parameters', `/v1/products?${parameters}`, ''],
      ['many limits', `/v1/products?${'limit=1&'.repeat(HEAD / 8)}`, ''],
      ['a path of %', `/v1/products/${'%'.repeat(HEAD)}`, ''],
      ['a path of %ff', `/v1/products/${'%ff'.repeat(HEAD / 3)}`, ''],
      ['a preference of blanks', '/v1/products?x=1', `Prefer: a,${' '.repeat(HEAD)}handling = "\r\n`],
      ['many headers', '/v1/store', 'X-A: 1\r\n'.repeat(MAX_HEADER_LINES - 2)],
      ['a key without end', '/v1/store', `Authorization: Bearer ${'svc_live_'.repeat(HEAD / 9)}\r\n`],
    ] as const
  ).map(([name, path, headers]) => [name, (key) => Buffer.from(`${requestHead(`GET ${path}`, key)}${headers}\r\n`)]);
}

function requestHead(request: string, key: string): string {
  return `${request} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
}
