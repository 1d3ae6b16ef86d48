import type { Buyers, RequestOptions } from '../support/buyers.js';
import type { Exchange } from '../support/history.js';
import type { Service } from '../support/service.js';
import type { Reference } from './two-stores.js';

export interface Trial {
  readonly what: string;
  readonly reference: Pick<Reference, 'theirs' | 'unknown'>;
  readonly ask: (value: string) => RequestOptions;
  readonly statuses: readonly number[];
}

/** Headers that differ between any two answers, or requests: a tag contains the path. */
const OF_THE_MOMENT = new Set(['date', 'x-request-id', 'etag']);

/** Values that the service generates for an order, all of a fixed length. */
const MADE_UP = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/WEB-\d{6}-[0-9A-Z]{6}/g, '<receipt>'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
] as const;

export async function attempt(buyers: Buyers, service: Service, trial: Trial, mark: string): Promise<string[]> {
  const { what, reference, ask, statuses } = trial;
  const asked = [reference.theirs, reference.unknown];
  const [theirs, unknown] = [
    await answered(() => buyers.send(service, ask(reference.theirs))),
    await answered(() => buyers.send(service, ask(reference.unknown))),
  ];
  const violations: string[] = [];
  if (!statuses.includes(theirs.status ?? 0)) violations.push(`${what}: ${theirs.status ?? theirs.error}`);
  const [got, expected] = [seen(theirs, asked), seen(unknown, asked)];
  if (got !== expected) {
    const doubt = `unless the first store has ${reference.theirs} too, see test/proof/isolation/two-stores.ts`;
    violations.push(`${what}: the other store's row is distinguishable, ${doubt}: ${got} and ${expected}`);
  }
  if (got.includes(mark)) violations.push(`${what}: leaks the other store: ${got}`);
  return violations;
}

/** Repeats a request that a concurrency limit refuses: the load decides about that, and not the row. */
async function answered(send: () => Promise<Exchange>): Promise<Exchange> {
  for (let attempts = 1; ; attempts++) {
    const exchange = await send();
    if (exchange.headers['x-error-code'] !== 'overloaded' || attempts === 5) return exchange;
  }
}

function seen({ status, headers, bytes }: Exchange, asked: readonly string[]): string {
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.has(name));
  const text = `${status} ${JSON.stringify(kept.sort())} ${bytes.toString('latin1')}`;
  const hidden = asked.reduce((rest, value) => rest.replaceAll(value, '<asked>'), text);
  return MADE_UP.reduce((masked, [pattern, name]) => masked.replace(pattern, name), hidden);
}
