import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { keyNow, post, queries, signedOut, useGet, useRead, type Key, type Scope } from './http.js';
import { Choices, Dialog, Field, Form, type FormProps, type Values } from './parts/ask.js';
import { Alert, announce, Button, LinkButton, Note, QueryStatus } from './parts/page.js';
import { useStore } from './store.js';
import { go, to } from './route.js';

export const useMe = () => useGet('/v1/key', {});

let known: Key | undefined;

export const can = (word: Scope): boolean => keyNow()?.scope.includes(word) ?? false;
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

/** The open page goes on after a sign-in over it, unless it is of another person or store now. */
async function continueSession(): Promise<void> {
  const before = known;
  signedOut.set('');
  await queries.refetchQueries({ queryKey: ['/v1/key'] });
  const now = keyNow();
  if (before && (now?.person?.id !== before.person?.id || now?.store.id !== before.store.id)) {
    sessions.postMessage('another');
    return location.reload();
  }
  if (before) announce('You are signed in again.');
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
    <Form submitLabel="Open" send={send}>
      <h2>Which store?</h2>
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
      <Form submitLabel="Send me a code" send={mail}>
        <Field label="E-mail" {...EMAIL} required autoFocus defaultValue={known?.person?.email ?? ''} />
      </Form>
    );
  return (
    <Open submitLabel="Sign in" onCancel={() => setEmail('')}>
      <p>
        If <strong>{email}</strong> belongs to a person of a store, a code is on its way. It works for 10 minutes, in
        this browser.
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

const SignInFrame = ({ children }: { children: ComponentChildren }) => (
  <main class="door card">
    <h1>Sign in</h1>
    {children}
  </main>
);

/** Messages by the last part of the address to which the service sends back from the identity provider. */
const REFUSALS: Readonly<Record<string, string>> = {
  not_added: 'No store has added the e-mail of your account. ConfirmDialog an owner of the store to add it.',
  other_account:
    'Your e-mail belongs to a person who signs in with another account. Use that one, or ask an owner of the store to remove and add you.',
  unavailable: 'Your organisation does not answer. Try again later.',
};

export const SignIn = ({ refusal }: { refusal?: string | undefined }) => (
  <SignInFrame>
    {refusal && <Alert>{REFUSALS[refusal] ?? 'Your organisation did not sign you in. Try again.'}</Alert>}
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
          <p>To {query.data.stores.map(({ name }) => name).join(', ')}.</p>
        </Open>
      )}
    </SignInFrame>
  );
}

const SIGN_IN_REASONS = { stale: 'This needs a sign-in within the last hour.', ended: 'Your session has ended.' };

/** Opens over the page as it is, so that a filled form stays. */
export function SignInAgain(): JSX.Element | null {
  const why = useStore(signedOut);
  const isStale = why === 'stale';
  const close = () => isStale && signedOut.set('');
  known = keyNow() ?? known;
  if (!why) return null;
  return (
    <Dialog title="Sign in again" onClose={close} stays={!isStale}>
      <p>{SIGN_IN_REASONS[why]} What you typed is still there.</p>
      <SignInMethods />
      {isStale && <Button text="Not now" class="quiet" onClick={close} />}
    </Dialog>
  );
}
