import { useLayoutEffect, useState } from 'preact/hooks';

/** A value outside the components, which those that use it follow. */
export function createStore<T>(value: T) {
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next: T) {
      value = next;
      for (const listener of listeners) listener();
    },
    follow(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: ReturnType<typeof createStore<T>>): T {
  const [value, set] = useState(() => store.get());
  // Follows the store before another change can come, unlike an effect.
  useLayoutEffect(() => store.follow(() => set(() => store.get())), [store]);
  return value;
}
