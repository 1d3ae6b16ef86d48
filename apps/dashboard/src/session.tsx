import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, post, queries, signedOut, useGet, type Key, type Scope } from './http.js';
import { announce } from './parts/announce.js';
import { Field, Form, textIn } from './parts/ask.js';
import { Note, Waiting } from './parts/page.js';
import { useStore } from './store.js';
import { go, to } from './route.js';

/** The session: whose it is, what it permits, and its store. */
export function useMe() {
  return useGet(['me'], () => api.GET('/v1/key'));
}

let known: Key | undefined;
const keyNow = (): Key | undefined => queries.getQueryData<{ data: Key }>(['me'])?.data;

/** Whether the role permits it. What it does not permit is not shown. */
export const can = (word: Scope): boolean => keyNow()?.scope.includes(word) ?? false;

/** Whether the person is the one who is signed in. */
export const isMe = (id: string): boolean => keyNow()?.person?.id === id;

export const currency = (): string => keyNow()?.store.currency ?? 'USD';

/** Other tabs have the same cookies: what they show of another session is out of date. */
const sessions = new BroadcastChannel('dashboard-session');
sessions.onmessage = () => location.reload();

export async function signOut(): Promise<void> {
  await post('session', {}, 'DELETE');
  sessions.postMessage('ended');
  location.assign(to('/'));
  location.reload();
}

/** After a sign-in over the open page: it goes on as it is, unless it is of another person or store now. */
async function goOn(): Promise<void> {
  const before = known;
  signedOut.set('');
  await queries.refetchQueries({ queryKey: ['me'] });
  const now = keyNow();
  if (before && (now?.person?.id !== before.person?.id || now?.store.id !== before.store.id)) {
    sessions.postMessage('another');
    return location.reload();
  }
  if (before) announce('You are signed in again.');
  await queries.invalidateQueries();
}

interface StoreName {
  readonly subdomain: string;
  readonly name: string;
}
type Proof = { readonly code: string } | { readonly link: string };

/** Opens a session. With several stores and none named, returns them instead. */
async function open(proof: Proof, store?: string): Promise<readonly StoreName[]> {
  const { stores } = await post<{ stores?: readonly StoreName[] }>('session', { ...proof, store });
  if (stores) return stores;
  if (/^#\/(enter|sign-in)/.test(location.hash)) go('#/', true);
  await goOn();
  return [];
}

function ChooseStore({ proof, stores }: { proof: Proof; stores: readonly StoreName[] }): JSX.Element {
  return (
    <Form verb="Open" onSubmit={(form) => open(proof, textIn(form, 'store'))}>
      <h2>Which store?</h2>
      <div class="choices">
        {stores.map(({ subdomain, name }, index) => (
          <label key={subdomain} class="tick">
            <input type="radio" name="store" value={subdomain} required defaultChecked={index === 0} />
            <span>{name}</span>
          </label>
        ))}
      </div>
    </Form>
  );
}

/** Asks for the address, then for the code that was mailed to it. */
function ByCode(): JSX.Element {
  const [email, setEmail] = useState('');
  const [proof, setProof] = useState<Proof>();
  const [stores, setStores] = useState<readonly StoreName[]>([]);
  if (proof && stores.length > 0) return <ChooseStore proof={proof} stores={stores} />;
  if (email === '')
    return (
      <Form
        key="email"
        verb="Send me a code"
        onSubmit={async (form) => {
          await post('sign-in/code', { email: textIn(form, 'email') });
          setEmail(textIn(form, 'email'));
        }}
      >
        <Field
          label="E-mail"
          name="email"
          type="email"
          required
          autoFocus
          autoComplete="username"
          defaultValue={known?.person?.email ?? ''}
        />
      </Form>
    );
  return (
    <Form
      key="code"
      verb="Sign in"
      onCancel={() => setEmail('')}
      onSubmit={async (form) => {
        const given = { code: textIn(form, 'code') };
        setStores(await open(given));
        setProof(given);
      }}
    >
      <p>
        If <strong>{email}</strong> belongs to a person of a store, a code is on its way. It works for 10 minutes, in
        this browser.
      </p>
      <Field
        label="Code"
        name="code"
        class="code"
        required
        autoFocus
        autoComplete="one-time-code"
        autoCapitalize="characters"
        spellcheck={false}
        maxLength={12}
        placeholder="K7QM-2XRD"
      />
    </Form>
  );
}

interface Ways {
  readonly private: boolean;
  readonly code: boolean;
  readonly oidc: boolean;
}

function WaysIn(): JSX.Element {
  const ways = useGet(['sign-in'], async () => ({ data: await post<Ways>('sign-in', undefined, 'GET') }));
  if (!ways.data) return <Waiting query={ways} />;
  if (!ways.data.private)
    return (
      <Note tone="wait">
        This address is not encrypted, so signing in is off. Open the dashboard by https, or on the machine of the
        service.
      </Note>
    );
  return (
    <>
      {ways.data.oidc && (
        <a class="button primary wide" href="./oidc/start">
          Sign in with your organisation
        </a>
      )}
      {ways.data.code && <ByCode />}
      {!ways.data.code && !ways.data.oidc && (
        <p>
          Ask the operator for a link: <code>people sign-in E-MAIL</code>
        </p>
      )}
    </>
  );
}

function Door({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <main class="door">
      <div class="card">{children}</div>
    </main>
  );
}

/** By the last part of the address to which the service sends back from the identity provider. */
const REFUSALS: Readonly<Record<string, string>> = {
  not_added: 'No store has added the e-mail of your account. Ask an owner of the store to add it.',
  other_account:
    'Your e-mail belongs to a person who signs in with another account. Use that one, or ask an owner of the store to remove and add you.',
  unavailable: 'Your organisation does not answer. Try again later.',
};

export function SignIn({ refusal }: { refusal?: string | undefined }): JSX.Element {
  return (
    <Door>
      <h1>Sign in</h1>
      {refusal !== undefined && (
        <Note tone="bad">{REFUSALS[refusal] ?? 'Your organisation did not sign you in. Try again.'}</Note>
      )}
      <WaysIn />
    </Door>
  );
}

interface Invitation {
  readonly person: { readonly name: string };
  readonly stores: readonly StoreName[];
}

/** The page of a link. Opening it does nothing: only the button uses the link up. */
export function Enter({ token }: { token: string }): JSX.Element {
  const [stores, setStores] = useState<readonly StoreName[]>([]);
  const link = useGet(['link', token], async () => ({ data: await post<Invitation>('sign-in/link', { link: token }) }));
  const proof = { link: token };
  return (
    <Door>
      <h1>Sign in</h1>
      <Waiting query={link} rows={2} />
      {link.error && (
        <a class="button" href={to('/')}>
          Sign in another way
        </a>
      )}
      {stores.length > 0 && <ChooseStore proof={proof} stores={stores} />}
      {link.data && stores.length === 0 && (
        <Form verb={`Sign in as ${link.data.person.name}`} onSubmit={async () => setStores(await open(proof))}>
          <p>To {link.data.stores.map(({ name }) => name).join(', ')}.</p>
        </Form>
      )}
    </Door>
  );
}

/** Over the page as it is, so that a filled form stays. */
export function SignInAgain(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const why = useStore(signedOut);
  const isStale = why === 'stale';
  known = keyNow() ?? known;
  useEffect(() => {
    if (why) dialog.current?.showModal();
  }, [why]);
  if (!why) return null;
  return (
    <dialog
      ref={dialog}
      aria-labelledby="again"
      onCancel={(event) => isStale || event.preventDefault()}
      onClose={() => isStale && signedOut.set('')}
    >
      <h2 id="again">Sign in again</h2>
      <p>
        {isStale ? 'This needs a sign-in within the last hour.' : 'Your session has ended.'} What you typed is still
        there.
      </p>
      <WaysIn />
      {isStale && (
        <div class="actions">
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Not now
          </button>
        </div>
      )}
    </dialog>
  );
}
