import { allOf, api, get, refresh, textOf, useGet, useRead, type Webhook, type WebhookListItem } from '../http.js';
import { readUnits } from '../parts/amount.js';
import { ConfirmDialog, Check, Choices, Field, secret, Units, type Values } from '../parts/ask.js';
import { Named, Table, right, type Columns } from '../parts/list.js';
import { announce, Badge, Button, Note, RowActions, Section, QueryStatus } from '../parts/page.js';
import { instantOf } from '../parts/day.js';
import { count, exactTime, joined, Time, timeText, timeZone } from '../parts/text.js';

type Kind = Webhook['kinds'][number];
const KINDS: readonly Kind[] = ['orders', 'products', 'skus', 'customers', 'categories', 'brands', 'stock'];
const BODIES = { thin: 'It says what changed.', full: 'It has the record, with the names and addresses of customers.' };
const OVERLAPS = { 'no time: it ends now': 0, '1 day': 24, '7 days': 168 };

function show({ data }: { data?: { data: { secret: string } } }): void {
  const hint = (
    <p class="soft">
      The receiver verifies with it that a message is from here. <a href="../docs/webhook-receivers">How?</a>
    </p>
  );
  secret.set({ title: 'The secret of the webhook', text: data?.data.secret ?? '', hint });
}

/** Returns undefined for an empty text: the present headers, of which answers have the names only, then stay. */
function headersIn(text: string): Record<string, string> | undefined {
  const lines = [...text.matchAll(/^([^:\n]+):?(.*)$/gm)];
  if (lines.length === 0) return undefined;
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name.trim(), value.trim()]));
}

const BATCH = {
  label: 'Most changes in a message',
  name: 'batch',
  hint: '1 to 100. More than 1 have another form of message.',
};
const HEADERS = {
  label: 'Other headers for each message',
  name: 'headers',
  hint: 'A line of each, instead of all present ones. Another URL without headers removes those.',
};

type HookValues = Values<'url' | 'name' | 'batch' | 'headers' | 'bare'> & Pick<Webhook, 'body'>;

export function EditWebhook({ hook }: { hook?: Webhook }) {
  const send = async ({ url, name, body, ...values }: HookValues, form: FormData) => {
    const given = { name, body, batch: readUnits(values.batch), kinds: form.getAll('kinds') as Kind[] };
    if (!hook) return api.POST('/v1/webhooks', { body: { ...given, url } }).then(show);
    const params = { path: { id: hook.id } };
    const headers = values.bare ? {} : headersIn(values.headers);
    // Also the same URL removes the headers that are not given with it.
    const changed = { ...given, headers, url: url === hook.url ? undefined : url };
    await api.PATCH('/v1/webhooks/{id}', { params, body: changed });
    return 'The webhook is changed.';
  };
  const words = hook
    ? { label: 'Change…', title: 'Change the webhook', submitLabel: 'Save' }
    : { label: 'New webhook…', title: 'New webhook', submitLabel: 'Create', tone: 'primary' as const };
  const kinds = Object.fromEntries(KINDS.map((kind, n) => [kind, n]));
  return (
    <ConfirmDialog {...words} send={send}>
      <Field label="URL" name="url" type="url" required autoFocus placeholder="https://" defaultValue={hook?.url} />
      <Field label="Name" name="name" placeholder="ERP" defaultValue={hook?.name} />
      <Choices label="Sends changes of" name="kinds" isMany begin={hook?.kinds ?? ['orders']} of={kinds} />
      <Choices label="A message" name="body" begin={hook?.body ?? 'thin'} of={BODIES} />
      <Units {...BATCH} inputMode="numeric" begin={`${hook?.batch ?? 1}`} />
      {hook && <Field {...HEADERS} rows={2} placeholder="Authorization: Bearer 4f1c" />}
      {!!hook?.header_names.length && <Check label={`Remove ${hook.header_names.join(', ')}`} name="bare" />}
    </ConfirmDialog>
  );
}

function WebhookActions({ hook }: { hook: Webhook }) {
  const path = { params: { path: { id: hook.id } } };
  const isPaused = hook.state === 'paused';
  /** A button without a question, for what harms nothing. */
  const now = (label: string, submitLabel: 'resume' | 'test' | 'pause', toast: string) => {
    const act = () => api.POST(`/v1/webhooks/{id}/${submitLabel}`, path).then(() => toast, textOf);
    return <Button text={label} onClick={() => void act().then(announce).then(refresh)} />;
  };
  const replay = ({ from }: Values<'from'>) =>
    api.POST('/v1/webhooks/{id}/replay', { ...path, body: { from: instantOf(from, timeZone()).toISOString() } });
  const rotate = ({ overlap }: { overlap: keyof typeof OVERLAPS }) => {
    const body = { overlap_hours: OVERLAPS[overlap] };
    return api.POST('/v1/webhooks/{id}/rotate-secret', { ...path, body }).then(show);
  };
  const remove = () => api.DELETE('/v1/webhooks/{id}', path);
  return (
    <RowActions of={hook.name || hook.url}>
      {isPaused && now('Resume', 'resume', 'The webhook sends again.')}
      {hook.failing_since && !isPaused && now('Try now', 'resume', 'It is tried again.')}
      {now('Test', 'test', 'A test is on its way. Its result shows here in a few seconds.')}
      {!isPaused && now('Pause', 'pause', 'It is paused.')}
      <EditWebhook hook={hook} />
      <ConfirmDialog title="Send again what changed" submitLabel="Replay" send={replay} toast="It is sent again.">
        <p class="soft">Everything whose newest change is later is sent again, with other message ids.</p>
        <Field label="Since" name="from" type="datetime-local" required autoFocus hint={`In ${timeZone()}.`} />
      </ConfirmDialog>
      <ConfirmDialog label="New secret…" title="Replace the secret" submitLabel="Make the new secret" send={rotate}>
        <Choices label="The old secret still signs for" name="overlap" begin="1 day" of={OVERLAPS} />
      </ConfirmDialog>
      <ConfirmDialog
        title="Delete the webhook?"
        submitLabel="Delete"
        tone="danger"
        send={remove}
        toast="The webhook is deleted."
      >
        <p class="soft">It sends nothing more, and its place is lost. To stop it for a while, pause it.</p>
        <p class="line">{hook.url}</p>
      </ConfirmDialog>
    </RowActions>
  );
}

type Delivery = Webhook['last_deliveries'][number];

/** Meanings by the code of Node or OpenSSL, as docs/webhooks.md has them, or else by the phase. */
const FAILURES: readonly (readonly [codeOrPhase: RegExp, meaning: string])[] = [
  [/^(ENOTFOUND|ENODATA)/, 'The host has no address in DNS. Is its name right?'],
  [/^ADDRESS_NOT_ALLOWED/, 'An address of the host is private. Only the operator of the service can permit it.'],
  [/^ECONNREFUSED/, 'Nothing listens at this host and port. Is the receiver running?'],
  [/^EHOSTUNREACH/, 'The host cannot be reached. Is there a firewall?'],
  [/^ECONNRESET/, 'The receiver closed the connection.'],
  [/^(EPROTO|ERR_SSL)/, 'The receiver does not speak https at this port.'],
  [/^CERT_HAS_EXPIRED/, 'The certificate of the receiver has expired. Renew it.'],
  [/^DEPTH_ZERO_SELF_SIGNED/, 'The certificate of the receiver is not of an authority that the service trusts.'],
  [/^UNABLE_TO_VERIFY/, 'The receiver does not send the intermediate certificate of its authority.'],
  [/^ERR_TLS_CERT_ALTNAME/, 'The certificate of the receiver is for another name.'],
  [/^TIMED_OUT/, 'It took too long. Let the receiver answer at once, and work afterwards.'],
  [/^NO_ANSWER/, 'The receiver sent something that is no answer of HTTP.'],
  [/^address$/, 'The address of the receiver was not found.'],
  [/^connect$/, 'The receiver cannot be reached.'],
  [/^tls$/, 'No encrypted connection to the receiver was made.'],
  [/^request$/, 'The message did not arrive.'],
  [/^answer$/, 'The receiver did not answer.'],
];

/** Meanings by the status, or else by its first digit. */
const STATUSES: Readonly<Record<number, string>> = {
  401: 'The receiver asks who sends. Give the webhook the headers that it needs.',
  403: 'The receiver refuses the sender. Does it verify with the present secret?',
  404: 'The receiver does not know the address. Is the path right?',
  410: 'The receiver wants no more messages.',
  429: 'The receiver has too many messages. It is tried later.',
  2: 'Received.',
  3: 'The receiver has moved, and redirects are not followed. Give the webhook the new address.',
  4: 'The receiver refuses the message. Its log says why.',
  5: 'The receiver failed. Its log says why.',
};

/** What happened to a message, and what to do about it, in plain words. */
function explain({ phase, status, answer }: Delivery): string {
  if (status !== null) return STATUSES[status] ?? STATUSES[Math.floor(status / 100)] ?? '';
  const find = (text: string) => FAILURES.find(([pattern]) => pattern.test(text))?.[1];
  return find(answer) ?? find(phase) ?? '';
}

const REASONS: Readonly<Record<WebhookListItem['reason'], string>> = {
  '': '',
  requested: 'It was paused by a person or a program. Nothing is lost: resume it, and it continues where it stopped.',
  failing: 'The receiver failed for three days. Correct it, test it, then resume: it continues where it stopped.',
  gone: 'The receiver answered 410: it wants no more messages. Correct it, test it, then resume.',
  cursor_expired: 'Its place is more than 90 days old. Read the feed from its beginning, replay from then, and resume.',
};

const isGood = ({ status }: Delivery) => status !== null && status >= 200 && status < 300;

const DELIVERIES: Columns<Delivery> = {
  At: ({ at }) => <Time at={at} />,
  Result: (each) => <Badge state={String(each.status ?? each.phase)} tone={isGood(each) ? 'good' : 'bad'} />,
  Message: ({ type, message_id }) => <Named name={type} small={[message_id]} />,
  'What it means': (each) => <Named name={explain(each)} small={[each.answer.slice(0, 300)]} />,
  ms: right(({ duration_ms }) => duration_ms.toLocaleString()),
};

function State({ state, reason, failing_since }: WebhookListItem) {
  if (state === 'paused') return <Badge state="paused" tone={reason === 'requested' ? 'wait' : 'bad'} />;
  return <Badge state={failing_since ? 'failing' : 'delivering'} tone={failing_since ? 'bad' : 'good'} />;
}

function ErrorNotice({ hook }: { hook: Webhook }) {
  const { state, reason, failing_since, next_attempt_at, last_deliveries } = hook;
  const failed = last_deliveries.find((delivery) => !isGood(delivery));
  const isPaused = state === 'paused';
  if (!isPaused && !failing_since) return null;
  return (
    <Note tone={reason === 'requested' ? 'wait' : 'bad'}>
      <strong>{failing_since ? `Failing since ${timeText(failing_since)}.` : 'Paused.'}</strong>{' '}
      {reason !== 'requested' && failed && explain(failed)} {REASONS[reason]}
      {!isPaused && next_attempt_at && `The next try is ${exactTime(next_attempt_at)}. Nothing is lost.`}
    </Note>
  );
}

/** The feed does not name deliveries. */
const POLL_MS = 5_000;

function Shown({ row }: { row: WebhookListItem }) {
  const { id, name, url, kinds, lag_seconds, failing_since, state } = row;
  const query = useGet('/v1/webhooks/{id}', { path: { id } }, POLL_MS);
  const hook = query.data?.data;
  const facts = joined([name && url, kinds.join(', '), lag_seconds > 0 && `${count(lag_seconds, 'second')} behind`]);
  return (
    <Section title={name || url} actions={<State {...row} />}>
      <p class="soft line">{facts}</p>
      <QueryStatus query={query} />
      {hook && <ErrorNotice hook={hook} />}
      {hook && <WebhookActions hook={hook} />}
      {hook && hook.last_deliveries.length > 0 && (
        <details open={!!failing_since || state === 'paused'}>
          <summary>The last attempts</summary>
          <Table label={`Attempts of ${name || url}`} rows={hook.last_deliveries} columns={DELIVERIES} />
        </details>
      )}
    </Section>
  );
}

export function Webhooks() {
  const list = useRead(['/v1/webhooks'], () => allOf((query) => get('/v1/webhooks', { query })), POLL_MS);
  const rows = list.data?.data;
  return (
    <>
      <QueryStatus query={list} rows={6} />
      {rows?.length === 0 && <p class="empty">No webhook. One sends every change to a program that cannot poll.</p>}
      {rows?.map((row) => (
        <Shown key={row.id} row={row} />
      ))}
    </>
  );
}
