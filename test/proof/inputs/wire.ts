import { sendRaw } from '../../support/raw-http.js';
import type { Scene } from './scene.js';

const DOCUMENTED: ReadonlySet<number> = new Set([200, 304, 400, 401, 403, 404, 429]);

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
