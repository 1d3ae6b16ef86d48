import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { keyNow, mode, post, queries, signedOut, useGet, useRead, type Key, type Scope } from './http.js';
import { Choices, Dialog, Field, Form, type FormProps, type Values } from './parts/ask.js';
import { Alert, announce, Button, LinkButton, Note, QueryStatus } from './parts/page.js';
import { useStore } from './store.js';
import { go, to } from './route.js';

export const useMe = () => useGet('/v1/key', {});

let known: Key | undefined;

/** Test mode separates orders and webhooks only. What these scopes change is live, so it is not offered in test mode. */
const LIVE_ONLY: readonly Scope[] = ['stock', 'catalog', 'customers', 'sales', 'keys', 'team'];

export const can = (word: Scope): boolean =>
  !(mode === 'test' && LIVE_ONLY.includes(word)) && (keyNow()?.scope.includes(word) ?? false);
export const isMe = (id: string): boolean => keyNow()?.person?.id === id;
export const currency = (): string => keyNow()?.store.currency ?? 'USD';

/** Other tabs share the cookies, so what they show of another session is out of date. */
const sessions = new BroadcastChannel('dashboard-session');
sessions.onmessage = () => location.reload();

export async function signOut(): Promise<void> {
  await post('session', {}, 'DELETE');
  sessions.postMessage('ended');
  location.assign(to('/'));
  location.reload();
}

/** Continues the open page after a new sign-in, unless the person or store is different. */
async function continueSession(): Promise<void> {
  const before = known;
  signedOut.set('');
  await queries.refetchQueries({ queryKey: ['/v1/key'] });
  const now = keyNow();
  if (before && (now?.person?.id !== before.person?.id || now?.store.id !== before.store.id)) {
    sessions.postMessage('another');
    return location.reload();
  }
  if (before) announce('Signed in again.');
  await queries.invalidateQueries();
}

type StoreName = Readonly<Record<'subdomain' | 'name', string>>;

/** Signs in by a link or a code. With several stores, the person chooses one. */
function Open({ link, ...form }: Omit<FormProps, 'send'> & { link?: string }): JSX.Element {
  const [code, setCode] = useState<string>();
  const [stores, setStores] = useState<readonly StoreName[]>();
  const send = async (values: Partial<Values<'code' | 'store'>>) => {
    const given = { link, code, ...values };
    const answer = await post<{ stores?: readonly StoreName[] }>('session', given);
    setCode(given.code);
    setStores(answer.stores);
    if (answer.stores) return;
    if (/^#\/(enter|sign-in)/.test(location.hash)) go('#/', true);
    await continueSession();
  };
  if (!stores) return <Form {...form} send={send} />;
  const names = Object.fromEntries(stores.map(({ subdomain, name }) => [subdomain, name]));
  return (
    <Form submitLabel="Open store" send={send}>
      <h2>Choose a store</h2>
      <Choices label="Store" name="store" begin={stores[0]?.subdomain} of={names} />
    </Form>
  );
}

const EMAIL = { name: 'email', type: 'email', autoComplete: 'username' };
const CODE = { name: 'code', class: 'code', autoComplete: 'one-time-code', spellcheck: false };

function ByCode(): JSX.Element {
  const [email, setEmail] = useState('');
  const mail = async (body: Values<'email'>) => {
    await post('sign-in/code', body);
    setEmail(body.email);
  };
  if (!email)
    return (
      <Form submitLabel="Email me a code" send={mail}>
        <Field label="Email" {...EMAIL} required autoFocus defaultValue={known?.person?.email ?? ''} />
      </Form>
    );
  return (
    <Open submitLabel="Sign in" onCancel={() => setEmail('')}>
      <p>
        If <strong>{email}</strong> is on the team of a store, you receive a code by email. It is valid for 10 minutes
        in this browser.
      </p>
      <Field label="Code" {...CODE} autoCapitalize="characters" required autoFocus placeholder="K7QM-2XRD" />
    </Open>
  );
}

type SignInMethodFlags = Readonly<Record<'private' | 'code' | 'oidc', boolean>>;

function SignInMethods(): JSX.Element {
  const methods = useRead(['sign-in'], () => post<SignInMethodFlags>('sign-in', undefined, 'GET'));
  if (!methods.data) return <QueryStatus query={methods} />;
  const { private: isPrivate, code, oidc } = methods.data;
  if (!isPrivate)
    return (
      <Note tone="wait">
        This connection is not encrypted, so sign-in is off. Open the dashboard over HTTPS, or on the host of the
        service.
      </Note>
    );
  return (
    <>
      {oidc && <LinkButton text="Sign in with your organisation" class="primary wide" href="./oidc/start" />}
      {code && <ByCode />}
      {!code && !oidc && (
        <p>
          Ask the operator for a sign-in link: <code>people sign-in EMAIL</code>
        </p>
      )}
    </>
  );
}

const SignInFrame = ({ children }: { children: ComponentChildren }) => (
  <main class="door card">
    <h1>Sign in</h1>
    {children}
  </main>
);

/** Messages by the last part of the address that the service redirects to after a refused sign-in. */
const REFUSALS: Readonly<Record<string, string>> = {
  not_added: 'Your email address is not on the team of any store. Ask an owner of the store to add you.',
  other_account:
    'Your email address is linked to another account. Sign in with that account, or ask an owner of the store to remove and add you.',
  unavailable: 'The sign-in of your organisation does not respond. Try again later.',
};

export const SignIn = ({ refusal }: { refusal?: string | undefined }) => (
  <SignInFrame>
    {refusal && <Alert>{REFUSALS[refusal] ?? 'The sign-in with your organisation failed. Try again.'}</Alert>}
    <SignInMethods />
  </SignInFrame>
);

type Invitation = Readonly<{ person: { name: string }; stores: readonly StoreName[] }>;

/** The page of a link. Opening it does nothing: only the button uses the link up. */
export function Enter({ token: link }: { token: string }): JSX.Element {
  const query = useRead(['link', link], () => post<Invitation>('sign-in/link', { link }));
  return (
    <SignInFrame>
      <QueryStatus query={query} rows={2} />
      {query.error && <LinkButton text="Sign in another way" href={to('/')} />}
      {query.data && (
        <Open submitLabel={`Sign in as ${query.data.person.name}`} link={link}>
          <p>Access to {query.data.stores.map(({ name }) => name).join(', ')}.</p>
        </Open>
      )}
    </SignInFrame>
  );
}

const SIGN_IN_REASONS = {
  stale: 'This action requires a sign-in within the last hour.',
  ended: 'Your session has ended.',
};

/** Opens over the current page, so that a filled form stays. */
export function SignInAgain(): JSX.Element | null {
  const why = useStore(signedOut);
  const isStale = why === 'stale';
  const close = () => isStale && signedOut.set('');
  known = keyNow() ?? known;
  if (!why) return null;
  return (
    <Dialog title="Sign in again" onClose={close} stays={!isStale}>
      <p>{SIGN_IN_REASONS[why]} Your input is kept.</p>
      <SignInMethods />
      {isStale && <Button text="Not now" class="quiet" onClick={close} />}
    </Dialog>
  );
}
