import fc from 'fast-check';
import { dataOf } from '../support/history.js';
import { listParameters, type ListParameter } from '../support/list-parameters.js';
import { explore, type NamedResource, type Scene } from './scene.js';
import { anyText, encoded } from './texts.js';

const RESOURCES = ['orders', 'products', 'customers', 'categories', 'brands'] as const;
const NAMED: readonly NamedResource[] = ['products', 'customers', 'categories', 'brands'];
const STRANGERS = ['__proto__', 'constructor', 'limit[]', 'limit.x', 'order', 'ｌimit', ''];
const BROKEN = ['%', '%zz', '%00', '%ff', '%c0%af', '%ed%a0%80', '%u0041', '+', '=', '&&', ';', '%25', '%2e%2e', '[]'];
const NO_NUMERALS = ['', ' ', 'abc', 'NaN', 'Infinity', '1e2', '0x10', '١', '1,5', '--1', '1 2'];
const NUMERALS = ['2.9', '-0', '+7', '007', ' 8 ', '99.', '9'.repeat(400), '2147483648'];

interface List {
  readonly data: readonly Record<string, unknown>[];
  readonly pagination: { readonly total: number; readonly page: number; readonly limit: number };
}

export async function exploreReads(scene: Scene): Promise<void> {
  // Only sessions reach people.
  const parameters = (await listParameters(scene.service)).filter(({ path }) => !path.startsWith('/v1/people'));
  const strictNames = new Set(parameters.filter(({ isStrict }) => isStrict).map(({ name }) => name));
  const filters = parameters.filter(({ name, isClamped }) => !isClamped && !strictNames.has(name));
  // The journal has no total, as the feed has none.
  const isList = ({ name, path }: ListParameter) => name === 'page' && !path.includes('{') && path !== '/v1/journal';
  const lists = fc.record({
    path: fc.constantFrom(...parameters.filter(isList).map(({ path }) => path)),
    limit: numerals(),
    page: numerals(),
    rest: queries([...new Set(filters.map(({ name }) => name))]),
  });
  await explore(scene, 'a list', lists, (ask) => faultOfPage(scene, ask));
  const words = filters.filter(
    ({ path, name, type }) => path === '/v1/orders' && name !== 'search' && type === 'string',
  );
  const values = fc.oneof(anyText(20), fc.constantFrom('', ' '));
  const wordFilters = fc.tuple(fc.constantFrom(...words.map(({ name }) => name)), values);
  await explore(scene, 'a filter', wordFilters, ([name, value]) => faultOfFilter(scene, name, value));
  const strict = parameters.filter(({ isStrict }) => isStrict);
  const strictFilters = fc.tuple(
    fc.constantFrom(...strict),
    fc.oneof(anyText(20), fc.constantFrom('true', 'FALSE', '')),
  );
  await explore(scene, 'a strict filter', strictFilters, ([filter, value]) =>
    faultOfStrictFilter(scene, filter, value),
  );
  await explore(scene, 'a search', searches(scene), (ask) => faultOfSearch(scene, ask));
  const ids = fc.tuple(fc.constantFrom(...RESOURCES), identifiers(scene));
  await explore(scene, 'an id', ids, ([resource, id]) => faultOfId(scene, resource, id));
  for (const resource of NAMED) scene.violations.push(...(await lostRows(scene, resource)));
}

function numerals(): fc.Arbitrary<readonly [string, number | null]> {
  const numbers = fc.oneof(
    fc.integer(),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    fc.integer({ min: 0, max: 200 }),
  );
  return fc.oneof(
    numbers.map((value) => [String(value), Number(value)] as const),
    fc.constantFrom(...NUMERALS).map((text) => [text, Number(text)] as const),
    fc.constantFrom(...NO_NUMERALS).map((text) => [text, null] as const),
  );
}

function queries(filters: readonly string[]): fc.Arbitrary<string> {
  const name = fc.constantFrom(...filters, ...STRANGERS).map(encoded);
  const value = fc.oneof(anyText(220).map(encoded), fc.constantFrom(...BROKEN));
  return fc
    .array(fc.tuple(name, value), { maxLength: 3 })
    .map((pairs) => pairs.map((pair) => `&${pair.join('=')}`).join(''));
}

function clamp(meaning: number | null, fallback: number, most: number): number {
  return Math.min(Math.max(Math.trunc(meaning ?? fallback), 1), most);
}

interface PageQuestion {
  readonly path: string;
  readonly limit: readonly [string, number | null];
  readonly page: readonly [string, number | null];
  readonly rest: string;
}

/** Repeats the first limit and page: the last one counts. */
async function faultOfPage(scene: Scene, { path, limit, page, rest }: PageQuestion): Promise<string | null> {
  const query = `limit=3&page=9&limit=${encoded(limit[0])}&page=${encoded(page[0])}${rest}`;
  const list = await listOf(scene, `${path}?${query}`);
  if (typeof list === 'string') return list;
  const { total, ...used } = list.pagination;
  // Pages whose first row number exceeds 32 bits are clamped.
  const expected = { page: clamp(page[1], 1, 21_474_836), limit: clamp(limit[1], 50, 100) };
  const rows = Math.max(0, Math.min(expected.limit, total - (expected.page - 1) * expected.limit));
  const found = { ...used, rows: list.data.length };
  return found.page === expected.page && found.limit === expected.limit && found.rows === rows
    ? null
    : `${fc.stringify({ ...found, total })} instead of ${fc.stringify({ ...expected, rows })} for ${query}`;
}

/** An unknown filter value, or a blank one, finds nothing; it is never ignored. */
async function faultOfFilter(scene: Scene, name: string, value: string): Promise<string | null> {
  const list = await listOf(scene, `/v1/orders?limit=100&${name}=${encoded(value)}`);
  if (typeof list === 'string') return list;
  const wanted = value.trim().toUpperCase();
  const strangers = list.data.filter((row) => row[name] !== wanted);
  return strangers.length === 0 ? null : `${name}=${value} lets ${strangers.length} others through`;
}

/** Expects that a value that the filter does not accept, even a blank one, is refused instead of ignored. */
async function faultOfStrictFilter(
  scene: Scene,
  { path, name, values }: ListParameter,
  value: string,
): Promise<string | null> {
  const { status, error } = await scene.send('GET', `${path}?${name}=${encoded(value)}`);
  const meant = value.trim().toLowerCase();
  const expected = values?.includes(meant) ? 200 : 400;
  return status === expected ? null : `${name}=${value} answered ${status ?? error}, not ${expected}`;
}

interface SearchQuestion {
  readonly resource: NamedResource;
  readonly id: string;
  readonly text: string;
}

function searches(scene: Scene): fc.Arbitrary<SearchQuestion> {
  return fc.constantFrom(...NAMED).chain((resource) =>
    fc.tuple(fc.constantFrom(...scene.rows[resource]), fc.nat(), fc.nat()).map(([{ id, name }, from, length]) => {
      const characters = [...name.normalize()];
      const start = from % characters.length;
      return { resource, id, text: characters.slice(start, start + 1 + (length % characters.length)).join('') };
    }),
  );
}

/** The search matches parts of names literally: `%`, `_` and `\` are ordinary characters. */
async function faultOfSearch(scene: Scene, { resource, id, text }: SearchQuestion): Promise<string | null> {
  const list = await listOf(scene, `/v1/${resource}?limit=100&search=${encoded(text)}`);
  if (typeof list === 'string') return list;
  const wanted = folded(text.trim());
  const isIn = (value: unknown) => folded(String(value)).includes(wanted);
  const strangers = list.data.filter(({ name, email = '' }) => !isIn(name) && !isIn(email));
  if (strangers.length > 0) return `finds ${fc.stringify(strangers[0]?.['name'])}`;
  return list.data.some((row) => String(row['id']) === id) ? null : `does not find ${resource} ${id}`;
}

/** Folds text like the search, after NFC: the lower case of İ is i, without the combining dot that JavaScript adds. */
function folded(text: string): string {
  return text.normalize().toLowerCase().replaceAll('\u0307', '');
}

function identifiers(scene: Scene): fc.Arbitrary<string> {
  const known = NAMED.flatMap((resource) => scene.rows[resource].flatMap(({ id, slug }) => [id, encoded(slug)]));
  const numbers = fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })).map(String);
  const odd = '0 -1 1e3 1.0 0x1 00 %31 １ . .. %2e%2e * ~ __proto__ constructor'.split(' ');
  const long = fc.integer({ min: 90, max: 2_000 }).map((length) => 'x'.repeat(length));
  return fc.oneof(
    fc.constantFrom(...known, ...odd.map(encoded)),
    numbers,
    fc.uuid(),
    fc.uuid().map((id) => id.slice(1)),
    long,
    anyText(520)
      .filter((text) => text !== '')
      .map(encoded),
    fc.constantFrom(...BROKEN.filter((text) => text !== '&&')),
  );
}

async function faultOfId(scene: Scene, resource: (typeof RESOURCES)[number], id: string): Promise<string | null> {
  const answer = await scene.send('GET', `/v1/${resource}/${id}`);
  if (answer.status === 404) return null;
  if (answer.status !== 200) return `answered ${answer.status ?? answer.error} at ${resource}`;
  const data = dataOf<Record<string, unknown>>(answer);
  const isIt =
    [data['id'], data['slug']].map(String).includes(decodeURIComponent(id)) || Number(id) === Number(data['id']);
  return isIt ? null : `${resource}/${id} is answered with ${String(data['id'])}`;
}

async function lostRows(scene: Scene, resource: NamedResource): Promise<string[]> {
  const list = await listOf(scene, `/v1/${resource}?limit=100`);
  if (typeof list === 'string') return [list];
  const lost: string[] = [];
  for (const { id, name, slug } of scene.rows[resource]) {
    const listed = list.data.find((row) => String(row['id']) === id);
    if (listed?.['name'] !== name) lost.push(`${resource} ${id} is listed as ${fc.stringify(listed?.['name'])}`);
    for (const reference of [id, encoded(slug)]) {
      const answer = await scene.send('GET', `/v1/${resource}/${reference}`);
      const found = answer.status === 200 ? dataOf<{ name: string }>(answer).name : answer.status;
      if (found !== name) lost.push(`${resource}/${reference} answered ${fc.stringify(found)}`);
    }
  }
  return lost;
}

async function listOf(scene: Scene, path: string): Promise<List | string> {
  const { status, error, bytes } = await scene.send('GET', path);
  if (status !== 200) return `${path} answered ${status ?? error}, not 200`;
  return JSON.parse(bytes.toString()) as List;
}
