import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const BEAT_MS = 1_000;
const LOOK_MS = 100;
/** Without a beat for as long as this, a process that cannot be seen counts as dead. */
const STALE_MS = 10_000;

/** Touches the file every second, before `onBeat`, until the function that it returns is called. */
export function startBeating(file: string, onBeat: () => void): () => void {
  writeFileSync(file, '', { mode: 0o600 });
  const timer = setInterval(() => {
    try {
      // Needs no space on the disk, so that a full one does not make us look dead.
      utimesSync(file, new Date(), new Date());
    } catch {
      // The data directory was deleted under us, or cannot be written for a moment.
    }
    onBeat();
  }, BEAT_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Watches the file until it is touched (true), or for 10 s (false). Clocks are not compared: that of another machine, or
 * of the file system, may be wrong.
 *
 * @param isOver ends the wait early.
 */
export async function isBeating(file: string, isOver: () => boolean): Promise<boolean> {
  const first = touched(file);
  const giveUp = performance.now() + STALE_MS;
  while (performance.now() < giveUp && !isOver()) {
    await delay(LOOK_MS);
    if (touched(file) !== first) return true;
  }
  return false;
}

function touched(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
