import fc from 'fast-check';
import { sendRaw } from '../../support/raw-http.js';
import { explore, type Scene } from './scene.js';

const DOCUMENTED: ReadonlySet<number> = new Set([200, 304, 400, 401, 403, 404, 429]);
const PIECES = ['\r\n', '\n', ':', ' ', '\0', '%', '/', '?', ',', '\u00ff', 'Host: y\r\n', 'Content-Length: 0\r\n'];

/** Requests with damaged heads, each on a separate connection: every one gets a documented answer. */
export async function exploreHeads(scene: Scene): Promise<void> {
  const head = [
    'GET /v1/products?limit=5&search=a HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${scene.store.key}`,
    'X-Request-Id: abc',
    'If-None-Match: "x"',
    'Prefer: handling=strict',
    'Accept: application/json',
  ].join('\r\n');
  const wound = fc.tuple(fc.nat(head.length), fc.nat(2), fc.constantFrom(...PIECES));
  await explore(scene, 'a damaged head', fc.array(wound, { minLength: 1, maxLength: 3 }), async (wounds) => {
    let text = head;
    for (const [at, removed, piece] of wounds) text = text.slice(0, at) + piece + text.slice(at + removed);
    return await faultOfBytes(scene, Buffer.from(`${text}\r\n\r\n`, 'latin1'));
  });
}

/** The fault in the answer to bytes that contain the end of a head. */
export async function faultOfBytes(scene: Scene, bytes: Buffer): Promise<string | null> {
  scene.sent++;
  try {
    const response = await sendRaw(Number(new URL(scene.service.url).port), bytes, { waitMs: 10_000 });
    if (!DOCUMENTED.has(response.status)) return `answered ${response.status}`;
    if (response.status !== 304) response.json();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
