import { isDeepStrictEqual } from 'node:util';
import type { Work } from '../works.js';
import { orderBodies } from './drive.js';

export interface Server {
  readonly url: string;
  readonly key: string;
}

const SAMPLES = 10;

/** @throws Error where two servers do not answer the same JSON. Of orders only what they cost and name is compared. */
export async function checkSameAnswers(work: Work, service: Server, reference: Server): Promise<void> {
  if (work.orders) {
    const body = orderBodies({ ...work.orders, series: 0 })();
    const [ours, theirs] = [await post(service, body), await post(reference, body)].map((answer) => ({
      ...answer,
      data: { ...answer.data, order_id: '', receipt_number: '' },
    }));
    if (!isDeepStrictEqual(ours, theirs)) throw different(work, 'an order', ours, theirs);
    return;
  }
  const step = Math.ceil(work.paths.length / SAMPLES);
  for (const path of work.paths.filter((_, index) => index % step === 0)) {
    const [ours, theirs] = [await get(service, path), await get(reference, path)];
    if (!isDeepStrictEqual(ours, theirs)) throw different(work, path, ours, theirs);
  }
}

function different({ name }: Work, what: string, ours: unknown, theirs: unknown): Error {
  return new Error(`${name}: ${what}: ${JSON.stringify(ours)} is not ${JSON.stringify(theirs)}`);
}

async function get({ url, key }: Server, path: string): Promise<unknown> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  const body = await response.json();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
  return body;
}

async function post({ url, key }: Server, body: string): Promise<{ data: object }> {
  const response = await fetch(`${url}/v1/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  const answer = (await response.json()) as { data: object };
  if (response.status !== 201) throw new Error(`POST: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}
