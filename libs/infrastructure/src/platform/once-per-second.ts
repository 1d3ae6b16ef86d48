const SHARED_MS = 1_000;

/** Caches a result for a second, but never a failure. @param now returns the milliseconds of a monotonic clock. */
export function oncePerSecond<T>(work: () => Promise<T>, now = () => performance.now()): () => Promise<T> {
  let shared: Promise<T> | null = null;
  let startedAt = 0;
  return () => {
    if (shared && now() - startedAt < SHARED_MS) return shared;
    startedAt = now();
    const result = work();
    result.catch(() => {
      if (shared === result) shared = null;
    });
    return (shared = result);
  };
}
