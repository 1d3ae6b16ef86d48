import { createStore, useStore } from '../store.js';

const SHOWN_MS = 5_000;
const text = createStore('');
let end: ReturnType<typeof setTimeout> | undefined;

/** Says what happened, to the eye and to a reader of the screen. */
export function announce(message: string): void {
  clearTimeout(end);
  text.set(message);
  end = setTimeout(() => text.set(''), SHOWN_MS);
}

export const Announcements = () => (
  <p class="toast" role="status" aria-live="polite">
    {useStore(text)}
  </p>
);
