import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isDown, POLL_MS, statusOf, textOf } from '../http.js';
import { backTo, comeBack, restorePlace } from '../route.js';
import { createStore, useStore } from '../store.js';

const toastText = createStore('');
let end: ReturnType<typeof setTimeout> | undefined;

/** Shows what happened for 5 s, and announces it to screen readers. */
export function announce(message: string): void {
  clearTimeout(end);
  toastText.set(message);
  end = setTimeout(() => toastText.set(''), 5_000);
}

export const Announcements = () => <p class="toast" role="status" aria-live="polite" children={useStore(toastText)} />;

/** Names the row of a button for screen readers. */
export const RowName = createContext('');
const useName = (text: ComponentChildren) => {
  const row = useContext(RowName);
  return { 'aria-label': row && typeof text === 'string' ? `${text}: ${row}` : undefined };
};

export const RowActions = ({ of, children }: { of: string; children: ComponentChildren }) => (
  <RowName.Provider value={of}>
    <div class="actions">{children}</div>
  </RowName.Provider>
);

export const focusHeading = () => document.querySelector('h1')?.focus({ preventScroll: true });

/** Moves the focus to the heading of the page when it disappears or becomes disabled. */
export function Button({ text, ...button }: JSX.ButtonHTMLAttributes & { text: ComponentChildren }) {
  const ref = useRef<HTMLButtonElement>(null);
  const leave = () => {
    if (document.activeElement === ref.current) focusHeading();
  };
  useLayoutEffect(() => leave, [button.disabled]);
  return (
    <button type="button" {...useName(text)} {...button} ref={ref}>
      {text}
    </button>
  );
}

export const LinkButton = ({ text, class: look = '', ...link }: JSX.AnchorHTMLAttributes & { text: string }) => (
  <a class={`button ${look as string}`} {...useName(text)} {...link}>
    {text}
  </a>
);

interface PageProps {
  readonly title: string;
  /** The page that this one belongs to, by its name in the navigation. */
  readonly back?: string;
  readonly aside?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The states of a record. `facts` follow in the same line. */
  readonly badges?: ComponentChildren;
  readonly facts?: readonly ComponentChildren[];
  /** A column on the right with facts about a record. */
  readonly about?: ComponentChildren;
  /** The record while it is loading. */
  readonly waits?: QueryState;
  readonly children?: ComponentChildren;
}

/** Moves the focus to the heading, so that screen readers announce the page, or back to the row that was opened. */
export function Page({ title, back, aside, actions, badges, facts, about, waits, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Store dashboard`;
    if (document.activeElement?.id !== 'search' && !restorePlace()) heading.current?.focus();
  }, [title]);
  return (
    <>
      {back && <a class="back" href={backTo(`/${back.toLowerCase()}`)} onClick={comeBack} children={back} />}
      <div class="head">
        <h1 ref={heading} tabIndex={-1} children={title} />
        {aside}
        <div class="actions">{actions}</div>
      </div>
      {facts && (
        <p class="facts">
          {badges}
          {facts.filter(Boolean).map((fact, index) => (
            <span key={index}>{fact}</span>
          ))}
        </p>
      )}
      {waits && <QueryStatus query={waits} rows={8} />}
      <div class="columns">
        <div>{children}</div>
        {about && <aside aria-label={`About ${title}`}>{about}</aside>}
      </div>
    </>
  );
}

export const Section = ({ title, actions, children }: Pick<PageProps, 'title' | 'actions' | 'children'>) => (
  <section class="card" aria-label={title}>
    <div class="section-head">
      <h2>{title}</h2>
      {actions}
    </div>
    {children}
  </section>
);

type NoteProps = Readonly<{ tone?: string; children: ComponentChildren; action?: ComponentChildren }>;

export const Note = ({ tone = 'info', children, action }: NoteProps) => (
  <div class="note" data-tone={tone}>
    <span>{children}</span>
    {action}
  </div>
);

/** What went wrong; screen readers announce it at once. */
export const Alert = (props: NoteProps) => <div role="alert" children={<Note tone="bad" {...props} />} />;

export const Forbidden = () => (
  <Note tone="wait">Your role does not permit this. An owner can change your role in Team.</Note>
);

type QueryState = Readonly<{ error: unknown; data: unknown; refetch: () => unknown }>;

/** Replaces a list or record that is loading or failed; null when it is loaded. @param rows the number of grey bars. */
export function QueryStatus({ query, rows = 3 }: { query: QueryState; rows?: number }) {
  // A repeated request clears the error until its answer arrives.
  const last = useRef<unknown>(null);
  if (query.error || query.data !== undefined) last.current = query.error;
  const error = last.current;
  if (query.data !== undefined) return null;
  if (statusOf(error) === 403) return <Forbidden />;
  const again = <Button text="Try again" onClick={() => void query.refetch()} />;
  const repeats = isDown(error) && ` Retrying every ${POLL_MS / 1_000} s.`;
  if (error) return <Alert action={again}>{[textOf(error), repeats]}</Alert>;
  return (
    <div class="waiting" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

type Tone = 'good' | 'wait' | 'bad' | 'info' | 'quiet';

const TONES: readonly (readonly [Tone, states: readonly string[]])[] = [
  ['good', ['succeeded', 'delivered', 'active', 'done', 'created']],
  ['info', ['processing', 'shipped', 'updated']],
  ['wait', ['pending', 'confirmed', 'picking']],
  ['bad', ['failed', 'held', 'dead', 'review', 'refused']],
];
const toneOf = (state: string) => TONES.find(([, states]) => states.includes(state))?.[0];

const WORDS: Readonly<Record<string, string>> = { succeeded: 'paid', dead: 'failed', done: 'sent', held: 'on hold' };

/** Shows a state. @param word the text to show instead of the state. */
export function Badge({ state, word, tone }: { state: string; word?: string | undefined; tone?: Tone }) {
  const key = state.toLowerCase();
  return (
    <span class="badge" data-tone={tone ?? toneOf(key) ?? 'quiet'}>
      {word ?? WORDS[key] ?? key.replaceAll('_', ' ')}
    </span>
  );
}

export const PaymentBadge = ({ state }: { state: string }) => (
  <Badge state={state} word={state === 'PENDING' ? 'unpaid' : undefined} />
);

export function Copy({ text, name = text }: { text: string; name?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    announce('Copied');
    setTimeout(() => setDone(false), 2_000);
  };
  const words = { text: isDone ? 'Copied' : 'Copy', 'aria-label': `Copy ${name}` };
  return <Button {...words} class="quiet small" onClick={copy} />;
}

export function download(name: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text]));
  Object.assign(document.createElement('a'), { href, download: name }).click();
  URL.revokeObjectURL(href);
}
