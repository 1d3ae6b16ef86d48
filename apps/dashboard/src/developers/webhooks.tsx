import { allOf, api, get, refresh, textOf, useGet, useRead, type Webhook, type WebhookListItem } from '../http.js';
import { readUnits } from '../parts/amount.js';
import { ConfirmDialog, Check, Choices, Field, secret, Units, type Values } from '../parts/ask.js';
import { Named, Table, right, type Columns } from '../parts/list.js';
import { announce, Badge, Button, Note, RowActions, Section, QueryStatus } from '../parts/page.js';
import { instantOf } from '../parts/day.js';
import { count, exactTime, joined, Time, timeText, timeZone } from '../parts/text.js';

type Kind = Webhook['kinds'][number];
const KINDS: readonly Kind[] = [
  ...(['orders', 'products', 'skus', 'customers', 'categories', 'brands', 'stock', 'price_lists'] as const),
];
const BODIES = { thin: 'Names what changed.', full: 'Contains the record, with names and addresses of customers.' };
const OVERLAPS = { immediately: 0, 'after 1 day': 24, 'after 7 days': 168 };

function show({ data }: { data?: { data: { secret: string } } }): void {
  const hint = (
    <p class="soft">
      The receiver uses it to <a href="../docs/webhook-receivers">verify the signature</a> of each message.
    </p>
  );
  secret.set({ title: 'Webhook secret', text: data?.data.secret ?? '', hint });
}

/** Returns undefined for an empty text, so that the current headers stay: answers contain only their names. */
function headersIn(text: string): Record<string, string> | undefined {
  const lines = [...text.matchAll(/^([^:\n]+):?(.*)$/gm)];
  if (lines.length === 0) return undefined;
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name.trim(), value.trim()]));
}

const BATCH = {
  label: 'Maximum changes per message',
  name: 'batch',
  hint: '1 to 100. Above 1, messages have a different format.',
};
const HEADERS = {
  label: 'Custom headers',
  name: 'headers',
  hint: 'One per line. They replace all current headers. A new URL without headers removes the current ones.',
};

type HookValues = Values<'url' | 'name' | 'batch' | 'headers' | 'bare'> & Pick<Webhook, 'body'>;

export function EditWebhook({ hook }: { hook?: Webhook }) {
  const send = async ({ url, name, body, ...values }: HookValues, form: FormData) => {
    const given = { name, body, batch: readUnits(values.batch), kinds: form.getAll('kinds') as Kind[] };
    if (!hook) return api.POST('/v1/webhooks', { body: { ...given, url } }).then(show);
    const params = { path: { id: hook.id } };
    const headers = values.bare ? {} : headersIn(values.headers);
    // Sending even the same URL removes the headers that are not sent with it.
    const changed = { ...given, headers, url: url === hook.url ? undefined : url };
    await api.PATCH('/v1/webhooks/{id}', { params, body: changed });
    return 'Webhook saved.';
  };
  const words = hook
    ? { label: 'Edit…', title: 'Edit webhook', submitLabel: 'Save' }
    : { label: 'New webhook…', title: 'New webhook', submitLabel: 'Create', tone: 'primary' as const };
  const kinds = Object.fromEntries(KINDS.map((kind, n) => [kind, n]));
  return (
    <ConfirmDialog {...words} send={send}>
      <Field label="URL" name="url" type="url" required autoFocus placeholder="https://" defaultValue={hook?.url} />
      <Field label="Name" name="name" placeholder="ERP" defaultValue={hook?.name} />
      <Choices label="Records" name="kinds" isMany begin={hook?.kinds ?? ['orders']} of={kinds} />
      <Choices label="Message body" name="body" begin={hook?.body ?? 'thin'} of={BODIES} />
      <Units {...BATCH} inputMode="numeric" begin={`${hook?.batch ?? 1}`} />
      {hook && <Field {...HEADERS} rows={2} placeholder="Authorization: Bearer 4f1c" />}
      {!!hook?.header_names.length && <Check label={`Remove ${hook.header_names.join(', ')}`} name="bare" />}
    </ConfirmDialog>
  );
}

function WebhookActions({ hook }: { hook: Webhook }) {
  const path = { params: { path: { id: hook.id } } };
  const isPaused = hook.state === 'paused';
  /** Makes a button that acts without a dialog, for harmless actions. */
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
      {isPaused && now('Resume', 'resume', 'Webhook resumed.')}
      {hook.failing_since && !isPaused && now('Retry now', 'resume', 'Retry started.')}
      {now('Test', 'test', 'Test message queued. The result appears here in a few seconds.')}
      {!isPaused && now('Pause', 'pause', 'Webhook paused.')}
      <EditWebhook hook={hook} />
      <ConfirmDialog title="Replay changes" submitLabel="Replay" send={replay} toast="Replay started.">
        <p class="soft">Resends every record whose latest change is after this time, with new message IDs.</p>
        <Field label="Since" name="from" type="datetime-local" required autoFocus hint={`Time zone: ${timeZone()}`} />
      </ConfirmDialog>
      <ConfirmDialog label="Rotate secret…" title="Rotate secret" submitLabel="Create new secret" send={rotate}>
        <Choices label="The old secret stops signing" name="overlap" begin="after 1 day" of={OVERLAPS} />
      </ConfirmDialog>
      <ConfirmDialog title="Delete webhook?" submitLabel="Delete" tone="danger" send={remove} toast="Webhook deleted.">
        <p class="soft">
          It stops sending and loses its position in the feed. To stop it temporarily, pause it instead.
        </p>
        <p class="line">{hook.url}</p>
      </ConfirmDialog>
    </RowActions>
  );
}

type Delivery = Webhook['last_deliveries'][number];

/** Meanings by the code of Node or OpenSSL, as in docs/webhooks.md, or else by the phase. */
const FAILURES: readonly (readonly [codeOrPhase: RegExp, meaning: string])[] = [
  [/^(ENOTFOUND|ENODATA)/, 'The host has no address in DNS. Check the host name.'],
  [/^ADDRESS_NOT_ALLOWED/, 'The host has a private address. Only the operator of the service can permit it.'],
  [/^ECONNREFUSED/, 'Nothing listens at this host and port. Check that the receiver is running.'],
  [/^EHOSTUNREACH/, 'The host is unreachable. Check its firewall.'],
  [/^ECONNRESET/, 'The receiver closed the connection.'],
  [/^(EPROTO|ERR_SSL)/, 'The receiver does not speak HTTPS on this port.'],
  [/^CERT_HAS_EXPIRED/, 'The certificate of the receiver has expired. Renew it.'],
  [
    /^DEPTH_ZERO_SELF_SIGNED/,
    'The receiver has a self-signed certificate. Use one of an authority that the service trusts.',
  ],
  [/^UNABLE_TO_VERIFY/, 'The receiver does not send the intermediate certificate of its authority.'],
  [/^ERR_TLS_CERT_ALTNAME/, 'The certificate of the receiver is for another name.'],
  [/^TIMED_OUT/, 'The receiver took too long. It must answer first and process the message afterwards.'],
  [/^NO_ANSWER/, 'The receiver did not send a valid HTTP response.'],
  [/^address$/, 'The address of the receiver could not be resolved.'],
  [/^connect$/, 'The receiver is unreachable.'],
  [/^tls$/, 'The TLS connection to the receiver failed.'],
  [/^request$/, 'The message could not be sent.'],
  [/^answer$/, 'The receiver did not answer.'],
];

/** Meanings by the status, or else by its first digit. */
const STATUSES: Readonly<Record<number, string>> = {
  401: 'The receiver requires authentication. Set the custom headers that it needs.',
  403: 'The receiver refused the message. Check that it verifies with the current secret.',
  404: 'The receiver does not know this URL. Check the path.',
  410: 'The receiver no longer accepts messages.',
  429: 'The receiver gets too many messages. The service retries later.',
  2: 'Received.',
  3: 'The receiver redirects, and the service does not follow redirects. Set the new URL.',
  4: 'The receiver refused the message. Check its log.',
  5: 'The receiver failed. Check its log.',
};

/** Explains what happened to a message, and what to do about it. */
function explain({ phase, status, answer }: Delivery): string {
  if (status !== null) return STATUSES[status] ?? STATUSES[Math.floor(status / 100)] ?? '';
  const find = (text: string) => FAILURES.find(([pattern]) => pattern.test(text))?.[1];
  return find(answer) ?? find(phase) ?? '';
}

const REASONS: Readonly<Record<WebhookListItem['reason'], string>> = {
  '': '',
  requested: 'Paused on request. No changes are lost: resume it to continue where it stopped.',
  failing: 'The receiver failed for three days. Fix it, send a test, then resume: sending continues where it stopped.',
  gone: 'The receiver answered 410: it no longer accepts messages. Fix it, send a test, then resume.',
  cursor_expired:
    'Its position in the feed is more than 90 days old. Read the feed from the beginning, replay from the time when that read began, then resume.',
};

const isGood = ({ status }: Delivery) => status !== null && status >= 200 && status < 300;

const DELIVERIES: Columns<Delivery> = {
  Time: ({ at }) => <Time at={at} />,
  Result: (each) => <Badge state={String(each.status ?? each.phase)} tone={isGood(each) ? 'good' : 'bad'} />,
  Message: ({ type, message_id }) => <Named name={type} small={[message_id]} />,
  Meaning: (each) => <Named name={explain(each)} small={[each.answer.slice(0, 300)]} />,
  'Duration (ms)': right(({ duration_ms }) => duration_ms.toLocaleString()),
};

function State({ row: { state, reason, failing_since }, last }: { row: WebhookListItem; last: Delivery | undefined }) {
  if (state === 'paused') return <Badge state="paused" tone={reason === 'requested' ? 'wait' : 'bad'} />;
  if (failing_since) return <Badge state="failing" tone="bad" />;
  if (!last) return <Badge state="no message sent yet" />;
  return isGood(last) ? <Badge state="delivering" tone="good" /> : <Badge state="last message failed" tone="bad" />;
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
      {!isPaused && next_attempt_at && `Next attempt: ${exactTime(next_attempt_at)}. No changes are lost.`}
    </Note>
  );
}

/** The feed does not report deliveries, so they are polled. */
const POLL_MS = 5_000;

function Shown({ row }: { row: WebhookListItem }) {
  const { id, name, url, kinds, lag_seconds, failing_since, state } = row;
  const query = useGet('/v1/webhooks/{id}', { path: { id } }, POLL_MS);
  const hook = query.data?.data;
  const last = hook?.last_deliveries[0];
  const isNews = last && (last.type === 'webhook.test' || !isGood(last));
  const facts = joined([name && url, kinds.join(', '), lag_seconds > 0 && `${count(lag_seconds, 'second')} behind`]);
  return (
    <Section title={name || url} actions={hook && <State row={row} last={last} />}>
      <p class="soft line">{facts}</p>
      <QueryStatus query={query} />
      {hook && <ErrorNotice hook={hook} />}
      {hook && <WebhookActions hook={hook} />}
      {hook && hook.last_deliveries.length > 0 && (
        <details open={isNews || !!failing_since || state === 'paused'}>
          <summary>Recent attempts</summary>
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
      {rows?.length === 0 && <p class="empty">No webhooks. A webhook sends each change to your system.</p>}
      {rows?.map((row) => (
        <Shown key={row.id} row={row} />
      ))}
    </>
  );
}
