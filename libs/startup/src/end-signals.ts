/** The exit codes that shells report. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type EndSignal = keyof typeof EXIT_CODES;
const SIGNALS = Object.keys(EXIT_CODES) as EndSignal[];

/** Under npm, Ctrl-C reaches a process twice: from the terminal and from npm. */
const SAME_GESTURE_MS = 500;

/**
 * Runs the shutdown at the first signal. A later signal, unless it belongs to the same gesture, ends the process with
 * exit code 1.
 * @param giveUp ends the process when it still runs `afterMs` milliseconds after the first signal.
 */
export function onShutdownSignal(
  stop: () => void,
  giveUp: { readonly afterMs: number; readonly end: () => void },
): void {
  let firstAt: number | null = null;
  const handle = () => {
    if (firstAt === null) {
      firstAt = performance.now();
      setTimeout(giveUp.end, giveUp.afterMs).unref();
      stop();
    } else if (performance.now() - firstAt > SAME_GESTURE_MS) {
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, handle);
}

/** The first signal asks the work to end; a second one ends the process at once. */
export async function interruptible<T>(interrupt: (exitCode: number) => void, work: () => Promise<T>): Promise<T> {
  const handle = (signal: EndSignal) => interrupt(EXIT_CODES[signal]);
  for (const signal of SIGNALS) process.once(signal, handle);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, handle);
  }
}
