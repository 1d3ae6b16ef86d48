import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { BrowserAnswer } from '../../support/browser.js';
import { violationIf, type Scene } from './scene.js';

const REQUESTS = { full: 200, quick: 20 };
const QUIET_MS = 1_500;

/** Whether an answer, or a mail, tells which addresses are known. */
export async function strangers(scene: Scene): Promise<string[]> {
  const count = REQUESTS[scene.context.form];
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  const shapes = new Set<string>();
  const unknown = Array.from({ length: count }, () => `${uuidv7()}@example.com`);
  for (const stranger of unknown) {
    const { email } = await scene.person('viewer');
    for (const [kind, address] of scene.context.random(2) === 0
      ? ([
          ['known', email],
          ['unknown', stranger],
        ] as const)
      : ([
          ['unknown', stranger],
          ['known', email],
        ] as const)) {
      const begin = performance.now();
      const answer = await scene.browser().requestCode(address);
      times[kind].push(performance.now() - begin);
      shapes.add(shapeOf(answer));
    }
  }
  await delay(QUIET_MS);
  const [known, other] = [undisturbed(times.known), undisturbed(times.unknown)];
  const mailed = unknown.filter((address) => scene.sink.recipients.includes(address));
  const left = await scene.database.query('SELECT FROM sign_ins WHERE email = ANY ($1) AND mail_code IS NOT NULL', [
    unknown,
  ]);
  return [
    ...violationIf(
      shapes.size !== 1,
      `${shapes.size} kinds of answers to requests of codes: ${[...shapes].join(' | ')}`,
    ),
    ...violationIf(
      Math.abs(known - other) > Math.max(5, 0.5 * Math.max(known, other)),
      `${known} ms, unknown ${other} ms`,
    ),
    ...violationIf(mailed.length > 0, `${mailed.length} unknown addresses were mailed`),
    ...violationIf(left.length > 0, `${left.length} codes for unknown addresses wait for their mail`),
  ];
}

/** Removes values that differ between any two answers. */
function shapeOf({ status, headers, body, setCookies }: BrowserAnswer): string {
  const cookies = setCookies.map((line) => line.replace(/=[\w-]{22};/, '=…;'));
  const told = { ...headers, date: '', 'x-request-id': '', 'set-cookie': cookies };
  return JSON.stringify([status, told, body]);
}

/** Returns a time that seven in eight exceed: other work of the machine only adds to a time. */
function undisturbed(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[times.length >> 3] ?? 0;
}
