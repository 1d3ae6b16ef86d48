import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const BEAT_MS = 1_000;
const LOOK_MS = 100;
/** After this time without a beat, an invisible process counts as dead. */
const STALE_MS = 10_000;

/** Touches the file every second, before each `onBeat`, until the returned function is called. */
export function startBeating(file: string, onBeat: () => void): () => void {
  writeFileSync(file, '', { mode: 0o600 });
  const timer = setInterval(() => {
    try {
      // Needs no disk space, so that a full disk does not make the process look dead.
      utimesSync(file, new Date(), new Date());
    } catch {
      // The data directory was deleted, or is not writable for a moment.
    }
    onBeat();
  }, BEAT_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Watches the file until another process touches it (true), or for 10 s (false). It compares no clocks: the clock of
 * another machine or of the file system may be wrong.
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
