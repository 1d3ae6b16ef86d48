import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.js';
import type { FeedAnswer } from '../../support/feed-reader.js';
import { credentialOf } from '../support/credential.js';
import type { Service } from '../support/service.js';

export async function waitWithKey(service: Service, key: string): Promise<string[]> {
  const read: string[] = [];
  for (let cursor = ''; ;) {
    const url = `${service.url}/v1/changes?kinds=brands&wait=20${cursor}`;
    const response = await fetch(url, { headers: credentialOf(key) });
    const text = await response.text();
    if (response.status === 401 || response.status === 403) return read;
    if (response.status !== 200) throw new Error(`GET /v1/changes: ${response.status} ${text}`);
    const answer = JSON.parse(text) as FeedAnswer;
    read.push(...answer.data.map(({ id }) => id));
    cursor = `&cursor=${answer.cursor}`;
  }
}

export async function holdsWait({ url }: Service): Promise<void> {
  await eventually(async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    assert.match(metrics, /^http_places_taken\{kind="waits"\} [1-9]/m);
  });
}
