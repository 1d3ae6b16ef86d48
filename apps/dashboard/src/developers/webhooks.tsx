import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { api, queries, useGet, type Webhook, type WebhookListItem } from '../http.js';
import { Badge } from '../parts/badge.js';
import { Named } from '../parts/list.js';
import { count } from '../parts/money.js';
import { Note, Section, Waiting } from '../parts/page.js';
import { Table, type Column } from '../parts/table.js';
import { Time, timeText } from '../parts/time.js';
import { explain, REASONS } from './explain.js';
import { WebhookActions } from './webhook-actions.js';

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

function State({ state, reason, failing_since }: WebhookListItem): JSX.Element {
  if (state === 'paused') return <Badge state="paused" tone={reason === 'requested' ? 'wait' : 'bad'} />;
  return <Badge state={failing_since ? 'failing' : 'delivering'} tone={failing_since ? 'bad' : 'good'} />;
}

/** Why nothing arrives, and when it is tried again. */
function Trouble({ hook }: { hook: Webhook }): JSX.Element | null {
  const failed = hook.last_deliveries.find((delivery) => !isGood(delivery));
  const isPaused = hook.state === 'paused';
  if (!isPaused && !hook.failing_since) return null;
  return (
    <Note tone={hook.reason === 'requested' ? 'wait' : 'bad'}>
      <span>
        <strong>{hook.failing_since ? `Failing since ${timeText(hook.failing_since)}.` : 'Paused.'}</strong>{' '}
        {hook.reason !== 'requested' && failed && explain(failed)} {REASONS[hook.reason]}
        {!isPaused && hook.next_attempt_at && `The next try is ${timeText(hook.next_attempt_at)}. Nothing is lost.`}
      </span>
    </Note>
  );
}

function Shown({ row }: { row: WebhookListItem }): JSX.Element {
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
              <Table
                label={`Attempts of ${row.name || row.url}`}
                rows={hook.last_deliveries}
                columns={DELIVERIES}
                keyOf={({ message_id, at }) => message_id + at}
              />
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

export function Webhooks(): JSX.Element {
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
