import { isDeepStrictEqual } from 'node:util';
import { orderOf } from './driver/driver.js';
import { SIDES, type Scene } from './scene.js';
import type { Work } from './works.js';

const SAMPLES = 8;

/** @throws Error unless both sides give equal answers to a sample of the work's requests. */
export async function compare({ shop, sides }: Scene, work: Work, random: (below: number) => number): Promise<void> {
  const requests = work.requests(shop);
  for (let n = 0; n < SAMPLES; n++) {
    const { path, body } = sampleOf(requests, random);
    const answers: unknown[] = [];
    for (const side of SIDES) answers.push(await answerOf(sides[side].url + path, shop.key, body));
    if (isDeepStrictEqual(answers[0], answers[1])) continue;
    const texts = answers.map((answer, side) => `${SIDES[side]}: ${JSON.stringify(answer)}`);
    throw new Error(`${work.name}: ${path} has different answers:\n${texts.join('\n')}`);
  }
}

function sampleOf(
  requests: ReturnType<Work['requests']>,
  random: (below: number) => number,
): { readonly path: string; readonly body?: object } {
  if (requests.kind === 'reads') return { path: requests.paths[random(requests.paths.length)] ?? '' };
  return { path: '/v1/orders', body: orderOf(requests, 'compare', random(2 ** 30), random) };
}

/** An answer without the ids that each side draws for an order, except their length. @throws Error unless it is 2xx. */
async function answerOf(url: string, key: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  const { data, ...answer } = JSON.parse(text) as { readonly data: Record<string, unknown> };
  if (!body) return { ...answer, data };
  const { order_id, receipt_number } = data as { readonly order_id?: string; readonly receipt_number?: string };
  return { ...answer, data: { ...data, order_id: order_id?.length, receipt_number: receipt_number?.length } };
}
