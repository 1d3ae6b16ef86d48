import { useLayoutEffect, useState } from 'preact/hooks';

/** Holds a value outside the components, which update when it changes. */
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
  // Unlike an effect, this subscribes before another change can happen.
  useLayoutEffect(() => store.follow(() => set(() => store.get())), [store]);
  return value;
}
