import { useEffect, useState } from 'preact/hooks';

/** A value outside the components, which those that use it follow. */
export interface Store<T> {
  get(): T;
  set(next: T): void;
  follow(listener: () => void): () => void;
}

export function createStore<T>(value: T): Store<T> {
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  const [value, set] = useState(() => store.get());
  useEffect(() => {
    const update = () => set(() => store.get());
    update();
    return store.follow(update);
  }, [store]);
  return value;
}
