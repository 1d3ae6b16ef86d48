import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { mode, switchMode, textOf, type Key, type Scope } from './http.js';
import { Keyboard, PAGES } from './keyboard.js';
import { live } from './live.js';
import { announce, Announcements } from './parts/announce.js';
import { useStore } from './store.js';
import { clock } from './parts/time.js';
import { to, useRoute } from './route.js';
import { can, SignInAgain, signOut } from './session.js';

/** Pages that need more than reading. */
const NEEDS: Readonly<Record<string, readonly Scope[]>> = { '/developers': ['keys', 'webhooks'], '/team': ['team'] };

export const mayOpen = (path: string): boolean => NEEDS[path]?.some(can) ?? true;

const LIVE = {
  connecting: ['quiet', 'Connecting'],
  live: ['good', 'Live'],
  polling: ['wait', 'Every 10 s'],
  reconnecting: ['bad', 'Reconnecting since'],
} as const;

function LiveDot(): JSX.Element {
  const now = useStore(live);
  const [tone, text] = LIVE[now.state];
  return (
    <span class="live" data-tone={tone} role="status">
      {text} {now.state === 'reconnecting' && clock(now.since)}
    </span>
  );
}

function Offline(): JSX.Element | null {
  const [isOnline, set] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => set(navigator.onLine);
    addEventListener('online', update);
    addEventListener('offline', update);
    return () => {
      removeEventListener('online', update);
      removeEventListener('offline', update);
    };
  }, []);
  return isOnline ? null : (
    <p class="strip" data-tone="wait" role="status">
      There is no network. The page shows what was read before, and reads again with the network.
    </p>
  );
}

function Person({ me }: { me: Key }): JSX.Element {
  const name = me.person?.name ?? me.name;
  const end = () => void signOut().catch((error: unknown) => announce(textOf(error)));
  return (
    <details class="person">
      <summary data-tone="info">
        <span class="unseen">Account of {name}</span>
        <span aria-hidden="true">
          {name
            .split(/\s+/)
            .map((word) => word[0])
            .slice(0, 2)
            .join('')}
        </span>
      </summary>
      <div class="menu">
        <p>
          <strong>{name}</strong>
          <small>{me.person?.email}</small>
          <small>{me.person?.role}</small>
        </p>
        <button type="button" class="quiet" onClick={switchMode}>
          {mode === 'live' ? 'Switch to test mode' : 'Leave test mode'}
        </button>
        <a class="button quiet" href="../docs" target="_blank" rel="noreferrer">
          API reference
        </a>
        <button type="button" class="quiet" onClick={end}>
          Sign out
        </button>
      </div>
    </details>
  );
}

export function Frame({ me, children }: { me: Key; children: ComponentChildren }): JSX.Element {
  const { path } = useRoute();
  const here = (page: string) => (page === '/' ? path === '/' : path.startsWith(page));
  // On a phone the navigation is wider than the page.
  useEffect(() => document.querySelector('.top [aria-current]')?.scrollIntoView({ inline: 'center' }), [path]);
  return (
    <>
      <header class="top">
        <button type="button" class="skip" onClick={() => document.querySelector('h1')?.focus()}>
          Skip to the content
        </button>
        <strong class="store">{me.store.name}</strong>
        <nav aria-label="Dashboard">
          {PAGES.filter((page) => mayOpen(page.path)).map((page) => (
            <a
              key={page.path}
              href={to(page.path)}
              aria-current={here(page.path) ? 'page' : undefined}
              aria-keyshortcuts={`g ${page.key}`}
            >
              {page.name}
            </a>
          ))}
        </nav>
        <LiveDot />
        <Person me={me} key={path} />
      </header>
      {mode === 'test' && (
        <div class="strip test" data-tone="wait">
          <span>Test mode: these orders are not real.</span>
          <button type="button" class="small" onClick={switchMode}>
            Leave
          </button>
        </div>
      )}
      <Offline />
      <main>{children}</main>
      <Announcements />
      <Keyboard />
      <SignInAgain />
    </>
  );
}
