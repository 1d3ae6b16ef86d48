import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { mode, useGet, type Schemas } from './http.js';
import { TYPING_MS } from './parts/ask.js';
import { QueryStatus } from './parts/page.js';
import { count } from './parts/text.js';
import { to } from './route.js';

type Result = Schemas['SearchResult'];

/** The heading of each kind, and the page of a record. */
const KINDS: Readonly<Record<Result['kind'], readonly [heading: string, page: (result: Result) => string]>> = {
  order: ['Orders', ({ title }) => `/orders/${title}`],
  customer: ['Customers', ({ id }) => `/customers/${id}`],
  product: ['Products', ({ id }) => `/products/${id}`],
  sku: ['SKUs', ({ id }) => `/products/${id.replace(/-.*/, '')}`],
};

/** The menu can have the focus, so that a click in it does not leave the form in a browser that focuses no links. */
function Results({ text, close }: { text: string; close: () => void }) {
  const found = useGet('/v1/search', { query: { q: text, is_test: mode === 'test' } });
  const results = found.data?.data ?? [];
  return (
    <div class="menu found" tabIndex={-1} data-stale={found.isPlaceholderData}>
      <QueryStatus query={found} />
      {found.data && <small role="status">{count(results.length, 'result')}</small>}
      {Object.entries(KINDS).map(([kind, [heading, pageOf]]) => {
        const ofKind = results.filter((result) => result.kind === kind);
        return (
          ofKind.length > 0 && (
            <div key={kind}>
              <strong>{heading}</strong>
              <ul aria-label={heading}>
                {ofKind.map((result) => (
                  <li key={result.id}>
                    <a href={to(pageOf(result))} onClick={close}>
                      {result.title}
                      <small>{result.detail}</small>
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          )
        );
      })}
    </div>
  );
}

/** Finds records of all kinds, from every page. Escape, or leaving it, closes the results. */
export function SearchEverything() {
  const [text, setText] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const pause = useRef<ReturnType<typeof setTimeout>>();
  const apply = (value: string) => {
    clearTimeout(pause.current);
    setText(value.trim());
  };
  const applySoon = ({ currentTarget: { value } }: JSX.TargetedEvent<HTMLInputElement>) => {
    clearTimeout(pause.current);
    pause.current = setTimeout(apply, TYPING_MS, value);
  };
  const close = () => {
    form.current?.reset();
    apply('');
  };
  const submit = (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = event.currentTarget.querySelector('input')?.value.trim() ?? '';
    const isShown = text === typed && event.currentTarget.querySelector('[data-stale=false]') !== null;
    if (isShown) event.currentTarget.querySelector('a')?.focus();
    else apply(typed);
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || text === '') return;
    form.current?.querySelector('input')?.focus();
    close();
  };
  const onFocusOut = ({ relatedTarget }: FocusEvent) => {
    if (!form.current?.contains(relatedTarget as Node | null)) close();
  };
  return (
    <form
      class="find"
      role="search"
      aria-label="Everything"
      ref={form}
      onSubmit={submit}
      {...{ onKeyDown, onFocusOut }}
    >
      <input
        id="find"
        type="search"
        name="everything"
        aria-label="Search everything"
        placeholder="Search everything"
        aria-keyshortcuts="f"
        onInput={applySoon}
      />
      {text && <Results text={text} close={close} />}
    </form>
  );
}
