import { useEffect } from 'preact/hooks';
import { Dialog, Form } from './parts/ask.js';
import { Facts } from './parts/list.js';
import { go, to } from './route.js';
import { createStore, useStore } from './store.js';

export const PAGES = [
  { key: 'h', name: 'Home', path: '/' },
  { key: 'o', name: 'Orders', path: '/orders' },
  { key: 's', name: 'Stock', path: '/stock' },
  { key: 'p', name: 'Products', path: '/products' },
  { key: 'l', name: 'Prices', path: '/prices' },
  { key: 'c', name: 'Customers', path: '/customers' },
  { key: 'd', name: 'Developers', path: '/developers' },
  { key: 't', name: 'Team', path: '/team' },
  { key: 'e', name: 'Settings', path: '/settings' },
  { key: 'a', name: 'Audit', path: '/audit' },
] as const;

const KEYS: readonly (readonly [keys: string, effect: string])[] = [
  ['/', 'Search'],
  ['f', 'Search everything'],
  ...PAGES.map(({ key, name }) => [`g ${key}`, name] as const),
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open row'],
  ['x', 'Select row'],
  ['?', 'Show shortcuts'],
];

const SEQUENCE_MS = 1_500;
const TYPING_TARGETS = 'input:not([type=checkbox]),textarea,select,dialog,[contenteditable]';

const currentRow = () => document.activeElement?.closest('[data-row]') ?? null;

function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll('[data-row]:has(a)')];
  const row = currentRow();
  const at = row ? rows.indexOf(row) + by : 0;
  rows[Math.max(0, Math.min(rows.length - 1, at))]?.querySelector('a')?.focus();
}

function search(): void {
  const field = document.getElementById('search');
  if (field) return field.focus();
  go(to('/orders', { queue: 'all' }));
  setTimeout(search, 50);
}

export const help = createStore(false);
const close = () => help.set(false);

export function Keyboard() {
  const isHelp = useStore(help);
  useEffect(() => {
    let gAt = -SEQUENCE_MS;
    const actions: Readonly<Record<string, () => void>> = {
      '/': search,
      f: () => document.getElementById('find')?.focus(),
      '?': () => help.set(true),
      j: () => moveRow(1),
      k: () => moveRow(-1),
      x: () => currentRow()?.querySelector<HTMLInputElement>('input[type=checkbox]')?.click(),
    };
    const onKey = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).closest(TYPING_TARGETS) !== null;
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping || document.querySelector('dialog[open]')) return;
      const page = event.timeStamp - gAt < SEQUENCE_MS && PAGES.find(({ key }) => key === event.key);
      gAt = event.key === 'g' ? event.timeStamp : -SEQUENCE_MS;
      const act = page ? () => go(to(page.path)) : actions[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  if (!isHelp) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <Facts facts={KEYS} />
      <Form submitLabel="Close" tone="" send={close} />
    </Dialog>
  );
}
