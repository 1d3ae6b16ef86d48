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

/** How far each page was scrolled when it was left. */
const tops = new Map<string, number>();
/** Where the person was on the page before it was left, when they came back to it. */
let place: Readonly<{ link: string; top: number }> | undefined;
let isReturning = false;
/** Marks the next step as the way back. The browser's own Back needs no mark. */
export const comeBack = () => (isReturning = true);

function arrive(): void {
  const now = current();
  const [from, address] = [to(route.get().path, route.get().query), to(now.path, now.query)];
  if (address !== from) {
    tops.set(from, scrollY);
    // Only an entry of the history that was visited has a state.
    const isBack = isReturning || history.state !== null;
    place = isBack ? { link: from, top: tops.get(address) ?? 0 } : undefined;
    isReturning = false;
  }
  if (history.state === null) history.replaceState(true, '');
  seen.set(now.path, address);
  route.set(now);
}
arrive();

/** Shows the row that led to the page from which the person came back. @returns whether there is one. */
export function restorePlace(): boolean {
  const row = place && document.querySelector<HTMLElement>(`main a[href="${CSS.escape(place.link)}"]`);
  if (!place || !row) return false;
  scrollTo(0, place.top);
  row.focus({ preventScroll: true });
  return true;
}

export const here = (): string => to(current().path, current().query);
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
