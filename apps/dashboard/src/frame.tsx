import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { mode, switchMode, textOf, type Key, type Scope } from './http.js';
import { Keyboard, PAGES } from './keyboard.js';
import { live, type Live } from './live.js';
import { announce, Announcements } from './parts/announce.js';
import { useStore } from './store.js';
import { clock } from './parts/time.js';
import { to, useRoute } from './route.js';
import { can, SignInAgain, signOut } from './session.js';

/** Pages that need more than reading. */
const NEEDS: Readonly<Record<string, readonly Scope[]>> = { '/developers': ['keys', 'webhooks'], '/team': ['team'] };

export const mayOpen = (path: string): boolean => NEEDS[path]?.some(can) ?? true;

function liveText(now: Live): string {
  if (now.state === 'reconnecting') return `Reconnecting since ${clock(now.since)}`;
  return { connecting: 'Connecting', live: 'Live', polling: 'Every 10 s' }[now.state];
}

function LiveDot(): JSX.Element {
  const now = useStore(live);
  return (
    <span class="live" data-state={now.state} role="status">
      {liveText(now)}
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
    <p class="strip" role="status">
      There is no network. What you see is from before; it goes on by itself.
    </p>
  );
}

function Person({ me }: { me: Key }): JSX.Element {
  const name = me.person?.name ?? me.name;
  const end = () => void signOut().catch((error: unknown) => announce(textOf(error)));
  return (
    <details class="person">
      <summary>
        <span class="unseen">Account of {name}</span>
        <span class="initials" aria-hidden="true">
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
  return (
    <>
      <header class="top">
        <button type="button" class="skip" onClick={() => document.querySelector('h1')?.focus()}>
          Skip to the content
        </button>
        <span class="store">{me.store.name}</span>
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
        <div class="strip test">
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
