import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { announce } from './announce.js';

export function Copy({ text, label = 'Copy' }: { text: string; label?: string }): JSX.Element {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    announce('Copied');
    setTimeout(() => setDone(false), 2_000);
  };
  return (
    <button type="button" class="quiet small" onClick={copy} aria-label={`${label} ${text.slice(0, 40)}`}>
      {isDone ? 'Copied' : label}
    </button>
  );
}
