import { api, refresh, textOf, useGet, type Webhook, type WebhookListItem } from '../http.js';
import { Ask, Check, Choices, Field, textIn } from '../parts/ask.js';
import { Named, Table, right, type Columns } from '../parts/list.js';
import { announce, Badge, Button, Note, RowActions, Section, Waiting } from '../parts/page.js';
import { count, joined, Time, timeText } from '../parts/text.js';
import { explain, REASONS } from './explain.js';
import { numberIn } from './keys.js';
import { secret } from './secret.js';

type Kind = Webhook['kinds'][number];
const KINDS: readonly Kind[] = ['orders', 'products', 'skus', 'customers', 'categories', 'brands', 'stock'];
const BODIES = { thin: 'It says what changed.', full: 'It has the record, with the names and addresses of customers.' };
/** In hours. */
const OVERLAPS = { 'no time: it ends now': 0, '1 day': 24, '7 days': 168 };

function show({ data }: { data?: { data: { secret: string } } }): void {
  const hint = (
    <p class="soft">
      The receiver verifies with it that a message is from here. <a href="../docs/webhook-receivers">How?</a>
    </p>
  );
  secret.set({ title: 'The secret of the webhook', text: data?.data.secret ?? '', hint });
}

/** The headers that are given, of which answers have the names only. Without any the present ones stay. */
function headersIn(form: FormData): Record<string, string> | undefined {
  if (form.has('bare')) return {};
  const lines = [...textIn(form, 'headers').matchAll(/^([^:\n]+):?(.*)$/gm)];
  if (lines.length === 0) return undefined;
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name.trim(), value.trim()]));
}

const BATCH = { label: 'Most changes in a message', name: 'batch', hint: 'More than 1 have another form of message.' };
const HEADERS = {
  label: 'Other headers for each message',
  name: 'headers',
  hint: 'A line of each, instead of all present ones. Another URL without headers removes those.',
};

/** Installs a webhook, or changes the one that is given. */
export function EditWebhook({ hook }: { hook?: Webhook }) {
  const send = async (form: FormData) => {
    const body = {
      url: textIn(form, 'url'),
      name: textIn(form, 'name'),
      kinds: form.getAll('kinds') as Kind[],
      body: textIn(form, 'body') as Webhook['body'],
      batch: Number(textIn(form, 'batch')),
    };
    if (hook) {
      const params = { path: { id: hook.id } };
      // Also the same URL removes the headers that are not given with it.
      const url = body.url === hook.url ? undefined : body.url;
      await api.PATCH('/v1/webhooks/{id}', { params, body: { ...body, url, headers: headersIn(form) } });
      return 'The webhook is changed.';
    }
    return api.POST('/v1/webhooks', { body }).then(show);
  };
  const words = hook
    ? { label: 'Change…', title: 'Change the webhook', verb: 'Save' }
    : { label: 'New webhook…', title: 'New webhook', verb: 'Create', tone: 'primary' as const };
  const kinds = Object.fromEntries(KINDS.map((kind, n) => [kind, n]));
  return (
    <Ask {...words} send={send}>
      <Field label="URL" name="url" type="url" required autoFocus placeholder="https://" defaultValue={hook?.url} />
      <Field label="Name" name="name" placeholder="ERP" defaultValue={hook?.name} />
      <Choices label="Sends changes of" name="kinds" isMany begin={hook?.kinds ?? ['orders']} of={kinds} />
      <Choices label="A message" name="body" begin={hook?.body ?? 'thin'} of={BODIES} />
      <Field {...BATCH} type="number" min={1} max={100} required defaultValue={hook?.batch ?? 1} />
      {hook && <Field {...HEADERS} rows={2} placeholder="Authorization: Bearer 4f1c" />}
      {!!hook?.header_names.length && <Check label={`Remove ${hook.header_names.join(', ')}`} name="bare" />}
    </Ask>
  );
}

function WebhookActions({ hook }: { hook: Webhook }) {
  const path = { params: { path: { id: hook.id } } };
  const isPaused = hook.state === 'paused';
  /** A button without a question, for what harms nothing. */
  const now = (label: string, verb: 'resume' | 'test' | 'pause', said: string) => {
    const act = () => api.POST(`/v1/webhooks/{id}/${verb}`, path).then(() => said, textOf);
    return <Button text={label} onClick={() => void act().then(announce).then(refresh)} />;
  };
  const replay = (form: FormData) => {
    const body = { from: new Date(textIn(form, 'from')).toISOString() };
    return api.POST('/v1/webhooks/{id}/replay', { ...path, body });
  };
  const rotate = (form: FormData) => {
    const body = { overlap_hours: numberIn(form, 'overlap', OVERLAPS) };
    return api.POST('/v1/webhooks/{id}/rotate-secret', { ...path, body }).then(show);
  };
  const remove = () => api.DELETE('/v1/webhooks/{id}', path);
  return (
    <RowActions of={hook.name || hook.url}>
      {isPaused && now('Resume', 'resume', 'The webhook sends again.')}
      {hook.failing_since && !isPaused && now('Try now', 'resume', 'It is tried again.')}
      {now('Test', 'test', 'A message without a change is sent.')}
      {!isPaused && now('Pause', 'pause', 'It is paused.')}
      <EditWebhook hook={hook} />
      <Ask title="Send again what changed" verb="Replay" send={replay} said="It is sent again.">
        <p class="soft">Everything whose newest change is later is sent again, with other message ids.</p>
        <Field label="Since" name="from" type="datetime-local" required autoFocus hint="In the time of this browser." />
      </Ask>
      <Ask label="New secret…" title="Replace the secret" verb="Make the new secret" send={rotate}>
        <Choices label="The old secret still signs for" name="overlap" begin="1 day" of={OVERLAPS} />
      </Ask>
      <Ask title="Delete the webhook?" verb="Delete" tone="danger" send={remove} said="The webhook is deleted.">
        <p class="soft">It sends nothing more, and its place is lost. To stop it for a while, pause it.</p>
        <p class="line">{hook.url}</p>
      </Ask>
    </RowActions>
  );
}

type Delivery = Webhook['last_deliveries'][number];

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

/** Why nothing arrives, and when it is tried again. */
function Trouble({ hook }: { hook: Webhook }) {
  const { state, reason, failing_since, next_attempt_at, last_deliveries } = hook;
  const failed = last_deliveries.find((delivery) => !isGood(delivery));
  const isPaused = state === 'paused';
  if (!isPaused && !failing_since) return null;
  return (
    <Note tone={reason === 'requested' ? 'wait' : 'bad'}>
      <strong>{failing_since ? `Failing since ${timeText(failing_since)}.` : 'Paused.'}</strong>{' '}
      {reason !== 'requested' && failed && explain(failed)} {REASONS[reason]}
      {!isPaused && next_attempt_at && `The next try is ${timeText(next_attempt_at)}. Nothing is lost.`}
    </Note>
  );
}

/** The feed does not name deliveries. */
const POLL_MS = 5_000;

function Shown({ row }: { row: WebhookListItem }) {
  const { id, name, url, kinds, lag_seconds, failing_since, state } = row;
  const params = { path: { id } };
  const query = useGet(['webhooks', id], () => api.GET('/v1/webhooks/{id}', { params }), { everyMs: POLL_MS });
  const hook = query.data?.data;
  const facts = joined([name && url, kinds.join(', '), lag_seconds > 0 && `${count(lag_seconds, 'second')} behind`]);
  return (
    <Section title={name || url} actions={<State {...row} />}>
      <p class="soft line">{facts}</p>
      <Waiting query={query} />
      {hook && <Trouble hook={hook} />}
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
  const params = { query: { limit: 100 } };
  const list = useGet(['webhooks'], () => api.GET('/v1/webhooks', { params }), { everyMs: POLL_MS });
  const rows = list.data?.data;
  return (
    <>
      <Waiting query={list} rows={6} />
      {rows?.length === 0 && <p class="empty">No webhook. One sends every change to a program that cannot poll.</p>}
      {rows?.map((row) => (
        <Shown key={row.id} row={row} />
      ))}
    </>
  );
}
