import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { mode, switchMode, textOf, type Key, type Scope } from './http.js';
import { help, Keyboard, PAGES } from './keyboard.js';
import { live } from './live.js';
import { announce, Announcements, Button, focusHeading, LinkButton } from './parts/page.js';
import { clock } from './parts/text.js';
import { to, useRoute } from './route.js';
import { can, SignInAgain, signOut } from './session.js';
import { createStore, useStore } from './store.js';

/** Pages that need more than reading. */
const NEEDS: Readonly<Record<string, readonly Scope[]>> = { '/developers': ['keys', 'webhooks'], '/team': ['team'] };

export const mayOpen = (path: string): boolean => NEEDS[path]?.some(can) ?? true;

const LIVE = {
  connecting: ['quiet', 'Connecting'],
  live: ['good', 'Live'],
  polling: ['wait', 'Not live: read again every 10 s'],
  reconnecting: ['bad', 'Reconnecting since'],
} as const;

function LiveDot() {
  const now = useStore(live);
  const [tone, text] = LIVE[now.state];
  return (
    <span class="live" data-tone={tone} role="status">
      {text} {now.since && clock(now.since)}
    </span>
  );
}

const online = createStore(navigator.onLine);
for (const event of ['online', 'offline']) addEventListener(event, () => online.set(navigator.onLine));

function Offline() {
  return useStore(online) ? null : (
    <p class="strip" data-tone="wait" role="status">
      There is no network. The page shows what was read before, and reads again with the network.
    </p>
  );
}

function Person({ me }: { me: Key }) {
  const name = me.person?.name ?? me.name;
  const initials = (name.match(/(?<!\S)\S/gu) ?? []).slice(0, 2).join('');
  const end = () => void signOut().catch((error: unknown) => announce(textOf(error)));
  return (
    <details class="person">
      <summary class="button" aria-label={`${initials}, account of ${name}`}>
        {initials}
      </summary>
      <div class="menu">
        <p>
          <strong>{name}</strong>
          <small>{me.person?.email}</small>
          <small>{me.person?.role}</small>
        </p>
        <button onClick={switchMode}>{mode === 'live' ? 'Switch to test mode' : 'Leave test mode'}</button>
        <button onClick={() => help.set(true)}>Keyboard shortcuts ?</button>
        <LinkButton text="API reference" href="../docs" target="_blank" rel="noreferrer" />
        <button onClick={end}>Sign out</button>
      </div>
    </details>
  );
}

export function Frame({ me, children }: { me: Key; children: ComponentChildren }) {
  const { path } = useRoute();
  const linkTo = ({ path: page, key }: (typeof PAGES)[number]) => {
    const isHere = page === '/' ? path === '/' : path.startsWith(page);
    return { href: to(page), 'aria-current': isHere ? ('page' as const) : undefined, 'aria-keyshortcuts': `g ${key}` };
  };
  // On a phone the navigation is wider than the page.
  useEffect(() => document.querySelector('.top [aria-current]')?.scrollIntoView({ inline: 'center' }), [path]);
  return (
    <>
      <header class="top">
        <Button text="Skip to the content" class="skip" onClick={focusHeading} />
        <strong class="store">{me.store.name}</strong>
        <nav aria-label="Dashboard">
          {PAGES.filter((page) => mayOpen(page.path)).map((page) => (
            <a key={page.path} {...linkTo(page)}>
              {page.name}
            </a>
          ))}
        </nav>
        <LiveDot />
        <Person me={me} key={path} />
      </header>
      {mode === 'test' && (
        <div class="strip test" data-tone="wait" role="status">
          Test mode: these orders are not real. <button onClick={switchMode}>Leave</button>
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
