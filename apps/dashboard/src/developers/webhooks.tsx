import { useEffect } from 'preact/hooks';
import { api, queries, refresh, textOf, useGet, type Webhook, type WebhookListItem } from '../http.js';
import { announce } from '../parts/announce.js';
import { Ask, Check, Choices, Field, textIn } from '../parts/ask.js';
import { Named, Table, type Column } from '../parts/list.js';
import { Badge, Note, Section, Waiting } from '../parts/page.js';
import { count, Time, timeText } from '../parts/text.js';
import { explain, REASONS } from './explain.js';
import { numberIn } from './keys.js';
import { secret } from './secret.js';

type Kind = WebhookListItem['kinds'][number];
const KINDS: readonly Kind[] = ['orders', 'products', 'skus', 'customers', 'categories', 'brands', 'stock'];

function show(text = ''): void {
  const hint = (
    <p class="soft">
      The receiver verifies with it that a message is from here. <a href="../docs/webhook-receivers">How?</a>
    </p>
  );
  secret.set({ title: 'The secret of the webhook', text, hint });
}

export function NewWebhook() {
  const send = async (form: FormData) => {
    const body = {
      url: textIn(form, 'url'),
      name: textIn(form, 'name'),
      kinds: form.getAll('kinds') as Kind[],
      body: textIn(form, 'body') as WebhookListItem['body'],
    };
    const { data } = await api.POST('/v1/webhooks', { body });
    show(data?.data.secret);
  };
  return (
    <Ask label="New webhook…" title="New webhook" verb="Create" tone="primary" send={send}>
      <Field label="URL" name="url" type="url" required autoFocus placeholder="https://erp.example/hooks" />
      <Field label="Name" name="name" placeholder="ERP" />
      <fieldset>
        <legend>Sends changes of</legend>
        <div class="actions">
          {KINDS.map((kind) => (
            <Check key={kind} label={kind} name="kinds" value={kind} defaultChecked={kind === 'orders'} />
          ))}
        </div>
      </fieldset>
      <Choices label="A message" name="body" begin="thin" of={BODIES} />
    </Ask>
  );
}

/** In hours. */
const OVERLAPS = { 'no time: it ends now': 0, '1 day': 24, '7 days': 168 };
const BODIES = { thin: 'It says what changed.', full: 'It has the record, with the names and addresses of customers.' };

function WebhookActions({ hook }: { hook: Webhook }) {
  const path = { params: { path: { id: hook.id } } };
  const isPaused = hook.state === 'paused';
  /** A button without a question, for what harms nothing. */
  const now = (label: string, verb: 'resume' | 'test' | 'pause', said: string) => {
    const act = () => api.POST(`/v1/webhooks/{id}/${verb}`, path).then(() => said, textOf);
    return (
      <button type="button" onClick={() => void act().then(announce).then(refresh)}>
        {label}
      </button>
    );
  };
  const replay = (form: FormData) => {
    const body = { from: new Date(textIn(form, 'from')).toISOString() };
    return api.POST('/v1/webhooks/{id}/replay', { ...path, body });
  };
  const rotate = async (form: FormData) => {
    const body = { overlap_hours: numberIn(form, 'overlap', OVERLAPS) };
    const { data } = await api.POST('/v1/webhooks/{id}/rotate-secret', { ...path, body });
    show(data?.data.secret);
  };
  return (
    <div class="actions">
      {isPaused && now('Resume', 'resume', 'The webhook sends again.')}
      {hook.failing_since && !isPaused && now('Try now', 'resume', 'It is tried again.')}
      {now('Test', 'test', 'A message without a change is sent.')}
      {!isPaused && now('Pause', 'pause', 'It is paused.')}
      <Ask
        title="Send again what changed"
        verb="Replay"
        text="Everything whose newest change is later is sent again, with other message ids."
        send={replay}
        said="It is sent again."
      >
        <Field label="Since" name="from" type="datetime-local" required autoFocus hint="In the time of this browser." />
      </Ask>
      <Ask label="New secret…" title="Replace the secret" verb="Make the new secret" send={rotate}>
        <Choices label="The old secret still signs for" name="overlap" begin="1 day" of={OVERLAPS} />
      </Ask>
      <Ask
        title="Delete the webhook?"
        verb="Delete"
        tone="danger"
        text="It sends nothing more, and its place is lost. To stop it for a while, pause it."
        send={() => api.DELETE('/v1/webhooks/{id}', path)}
        said="The webhook is deleted."
      >
        <p class="line">{hook.url}</p>
      </Ask>
    </div>
  );
}

type Delivery = Webhook['last_deliveries'][number];

const isGood = ({ status }: Delivery) => status !== null && status >= 200 && status < 300;

const DELIVERIES: readonly Column<Delivery>[] = [
  { name: 'At', cell: ({ at }) => <Time at={at} /> },
  {
    name: 'Result',
    cell: (delivery) => (
      <Badge state={String(delivery.status ?? delivery.phase)} tone={isGood(delivery) ? 'good' : 'bad'} />
    ),
  },
  { name: 'Message', cell: ({ type, message_id }) => <Named name={type} small={[message_id]} /> },
  {
    name: 'What it means',
    cell: (delivery) => <Named name={explain(delivery)} small={[delivery.answer.slice(0, 300)]} />,
  },
  { name: 'ms', isNumber: true, cell: ({ duration_ms }) => duration_ms.toLocaleString() },
];

function State({ state, reason, failing_since }: WebhookListItem) {
  if (state === 'paused') return <Badge state="paused" tone={reason === 'requested' ? 'wait' : 'bad'} />;
  return <Badge state={failing_since ? 'failing' : 'delivering'} tone={failing_since ? 'bad' : 'good'} />;
}

/** Why nothing arrives, and when it is tried again. */
function Trouble({ hook }: { hook: Webhook }) {
  const failed = hook.last_deliveries.find((delivery) => !isGood(delivery));
  const isPaused = hook.state === 'paused';
  if (!isPaused && !hook.failing_since) return null;
  return (
    <Note tone={hook.reason === 'requested' ? 'wait' : 'bad'}>
      <strong>{hook.failing_since ? `Failing since ${timeText(hook.failing_since)}.` : 'Paused.'}</strong>{' '}
      {hook.reason !== 'requested' && failed && explain(failed)} {REASONS[hook.reason]}
      {!isPaused && hook.next_attempt_at && `The next try is ${timeText(hook.next_attempt_at)}. Nothing is lost.`}
    </Note>
  );
}

function Shown({ row }: { row: WebhookListItem }) {
  const { id } = row;
  const query = useGet(['webhooks', id], () => api.GET('/v1/webhooks/{id}', { params: { path: { id } } }));
  const hook = query.data?.data;
  const lag = row.lag_seconds > 0 && `${count(row.lag_seconds, 'second')} behind`;
  const facts = [row.name && row.url, row.kinds.join(', '), lag];
  return (
    <Section title={row.name || row.url} actions={<State {...row} />} flush>
      <p class="soft line">{facts.filter(Boolean).join(' · ')}</p>
      {hook ? (
        <>
          <div class="inset">
            <Trouble hook={hook} />
            <WebhookActions hook={hook} />
          </div>
          {hook.last_deliveries.length > 0 && (
            <details class="more" open={!!row.failing_since || row.state === 'paused'}>
              <summary>The last attempts</summary>
              <Table label={`Attempts of ${row.name || row.url}`} rows={hook.last_deliveries} columns={DELIVERIES} />
            </details>
          )}
        </>
      ) : (
        <Waiting query={query} />
      )}
    </Section>
  );
}

const POLL_MS = 5_000;

export function Webhooks() {
  const query = { limit: 100 };
  const list = useGet(['webhooks'], () => api.GET('/v1/webhooks', { params: { query } }));
  // The feed does not name deliveries.
  useEffect(() => {
    const poll = setInterval(() => {
      if (!document.hidden) void queries.invalidateQueries({ queryKey: ['webhooks'] });
    }, POLL_MS);
    return () => clearInterval(poll);
  }, []);
  return (
    <>
      <Waiting query={list} rows={6} />
      {list.data?.data.length === 0 && (
        <p class="empty">No webhook. One sends every change to a program that cannot poll.</p>
      )}
      {list.data?.data.map((row) => (
        <Shown key={row.id} row={row} />
      ))}
    </>
  );
}
