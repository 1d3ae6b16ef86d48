import { createStore, useStore } from './store.js';

export type Route = Readonly<{ path: string; query: Readonly<Record<string, string>> }>;

function current(): Route {
  const [path = '', query = ''] = location.hash.slice(1).split('?');
  return { path: path || '/', query: Object.fromEntries(new URLSearchParams(query)) };
}

/**
 * The current address in the dashboard is the URL fragment: it works below every prefix, and no server or proxy logs
 * it.
 */
const route = createStore(current());
addEventListener('hashchange', () => arrive());

/** The last address of each page, so that the way back to a list keeps its filters. */
const seen = new Map<string, string>();
export const backTo = (path: string): string => seen.get(path) ?? to(path);

function arrive(): void {
  const now = current();
  seen.set(now.path, to(now.path, now.query));
  route.set(now);
}
arrive();
export const useRoute = () => useStore(route);

/** Returns the address of a page for a link. Empty values are omitted. */
export function to(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  return `#${path}${given.length > 0 ? `?${new URLSearchParams(given).toString()}` : ''}`;
}

/** @param replace whether to add no step to the history, for a filter that follows typing. */
export function go(address: string, replace = false): void {
  if (replace) location.replace(address);
  else location.assign(address);
  arrive();
}
