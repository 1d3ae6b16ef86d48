import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, post, queries, signedOut, useGet, type Key, type Scope } from './http.js';
import { Choices, Dialog, Field, Form, textIn, type FormProps } from './parts/ask.js';
import { Alert, announce, Button, LinkButton, Note, Waiting } from './parts/page.js';
import { useStore } from './store.js';
import { go, to } from './route.js';

/** The session: whose it is, what it permits, and its store. */
export const useMe = () => useGet(['me'], () => api.GET('/v1/key'));

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

type StoreName = Readonly<Record<'subdomain' | 'name', string>>;
type Proof = { readonly code: string } | { readonly link: string };

type OpenProps = Omit<FormProps, 'onSubmit'> & { readonly proofIn: (form: FormData) => Proof };

/** Opens a session. With several stores, the person chooses one. */
function Open({ proofIn, ...form }: OpenProps): JSX.Element {
  const [proof, setProof] = useState<Proof>();
  const [stores, setStores] = useState<readonly StoreName[]>();
  const submit = async (values: FormData) => {
    const given = proof ?? proofIn(values);
    const store = textIn(values, 'store') || undefined;
    const answer = await post<{ stores?: readonly StoreName[] }>('session', { ...given, store });
    setProof(given);
    setStores(answer.stores);
    if (answer.stores) return;
    if (/^#\/(enter|sign-in)/.test(location.hash)) go('#/', true);
    await goOn();
  };
  if (!stores) return <Form {...form} onSubmit={submit} />;
  const names = Object.fromEntries(stores.map(({ subdomain, name }) => [subdomain, name]));
  return (
    <Form verb="Open" onSubmit={submit}>
      <h2>Which store?</h2>
      <Choices label="Store" name="store" begin={stores[0]?.subdomain} of={names} />
    </Form>
  );
}

const EMAIL = { name: 'email', type: 'email', autoComplete: 'username' };
const CODE = { name: 'code', class: 'code', autoComplete: 'one-time-code', spellcheck: false };

/** Asks for the address, then for the code that was mailed to it. */
function ByCode(): JSX.Element {
  const [email, setEmail] = useState('');
  const mail = async (form: FormData) => {
    await post('sign-in/code', { email: textIn(form, 'email') });
    setEmail(textIn(form, 'email'));
  };
  if (!email)
    return (
      <Form verb="Send me a code" onSubmit={mail}>
        <Field label="E-mail" {...EMAIL} required autoFocus defaultValue={known?.person?.email ?? ''} />
      </Form>
    );
  return (
    <Open verb="Sign in" onCancel={() => setEmail('')} proofIn={(form) => ({ code: textIn(form, 'code') })}>
      <p>
        If <strong>{email}</strong> belongs to a person of a store, a code is on its way. It works for 10 minutes, in
        this browser.
      </p>
      <Field label="Code" {...CODE} autoCapitalize="characters" required autoFocus placeholder="K7QM-2XRD" />
    </Open>
  );
}

type Ways = Readonly<Record<'private' | 'code' | 'oidc', boolean>>;

function WaysIn(): JSX.Element {
  const ways = useGet(['sign-in'], async () => ({ data: await post<Ways>('sign-in', undefined, 'GET') }));
  if (!ways.data) return <Waiting query={ways} />;
  const { private: isPrivate, code, oidc } = ways.data;
  if (!isPrivate)
    return (
      <Note tone="wait">
        This address is not encrypted, so signing in is off. Open the dashboard by https, or on the machine of the
        service.
      </Note>
    );
  return (
    <>
      {oidc && <LinkButton text="Sign in with your organisation" class="primary wide" href="./oidc/start" />}
      {code && <ByCode />}
      {!code && !oidc && (
        <p>
          Ask the operator for a link: <code>people sign-in E-MAIL</code>
        </p>
      )}
    </>
  );
}

const Door = ({ children }: { children: ComponentChildren }) => (
  <main class="door card">
    <h1>Sign in</h1>
    {children}
  </main>
);

/** By the last part of the address to which the service sends back from the identity provider. */
const REFUSALS: Readonly<Record<string, string>> = {
  not_added: 'No store has added the e-mail of your account. Ask an owner of the store to add it.',
  other_account:
    'Your e-mail belongs to a person who signs in with another account. Use that one, or ask an owner of the store to remove and add you.',
  unavailable: 'Your organisation does not answer. Try again later.',
};

export const SignIn = ({ refusal }: { refusal?: string | undefined }) => (
  <Door>
    {refusal && <Alert>{REFUSALS[refusal] ?? 'Your organisation did not sign you in. Try again.'}</Alert>}
    <WaysIn />
  </Door>
);

type Invitation = Readonly<{ person: { name: string }; stores: readonly StoreName[] }>;

/** The page of a link. Opening it does nothing: only the button uses the link up. */
export function Enter({ token: link }: { token: string }): JSX.Element {
  const query = useGet(['link', link], async () => ({ data: await post<Invitation>('sign-in/link', { link }) }));
  return (
    <Door>
      <Waiting query={query} rows={2} />
      {query.error && <LinkButton text="Sign in another way" href={to('/')} />}
      {query.data && (
        <Open verb={`Sign in as ${query.data.person.name}`} proofIn={() => ({ link })}>
          <p>To {query.data.stores.map(({ name }) => name).join(', ')}.</p>
        </Open>
      )}
    </Door>
  );
}

const WHY = { stale: 'This needs a sign-in within the last hour.', ended: 'Your session has ended.' };

/** Over the page as it is, so that a filled form stays. */
export function SignInAgain(): JSX.Element | null {
  const why = useStore(signedOut);
  const isStale = why === 'stale';
  const close = () => isStale && signedOut.set('');
  known = keyNow() ?? known;
  if (!why) return null;
  return (
    <Dialog title="Sign in again" onClose={close} stays={!isStale}>
      <p>{WHY[why]} What you typed is still there.</p>
      <WaysIn />
      {isStale && <Button text="Not now" class="quiet" onClick={close} />}
    </Dialog>
  );
}
