const INTERVAL_MS = 50;

/** Repeats an assertion until it holds; fails with its last failure when it does not in time. */
export async function eventually(assertion: () => unknown, timeoutMs = 20_000): Promise<void> {
  const giveUp = Date.now() + timeoutMs;
  for (;;) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (Date.now() > giveUp) throw error;
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    }
  }
}
