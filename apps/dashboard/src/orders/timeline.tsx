import { useState } from 'preact/hooks';
import { api, refresh, useGet, type Order, type Schemas } from '../http.js';
import { Form, textIn } from '../parts/ask.js';
import { capital } from '../parts/list.js';
import { Section, Waiting } from '../parts/page.js';
import { money, Time } from '../parts/text.js';
import { can } from '../session.js';

type OrderEvent = Schemas['OrderEvent'];

/** Of the events whose name does not say it. */
const WORDS: Readonly<Record<string, string>> = {
  held: 'Put under review',
  contact_changed: 'Contact corrected',
  units_cancelled: 'Units given up',
  shipment_created: 'Shipment',
  payment_recorded: 'Payment',
  refund_recorded: 'Refund',
  noted: 'Note',
  mail_requested: 'Mail sent again',
};

const ACTORS: Readonly<Record<string, string>> = {
  key: 'API key',
  person: 'a person',
  operator: 'operator',
  pipeline: 'the service',
  system: 'the service',
};

const lower = (text: string) => text.toLowerCase().replaceAll('_', ' ');

function headline({ event, field, from, to }: OrderEvent): string {
  if (event !== 'status_changed') return WORDS[event] ?? capital(lower(event));
  return `${field === 'status' ? 'Payment' : 'Fulfilment'} ${lower(from ?? '')} → ${lower(to ?? '')}`;
}

/** What else is known, as far as a person can use it. */
function detailsOf({ event, details }: OrderEvent, currency: string): string[] {
  const { text, reason, amount, status } = details as Record<string, unknown>;
  return [
    typeof amount === 'number' && money(amount, currency),
    event.startsWith('shipment') && typeof status === 'string' && lower(status),
    reason,
    text,
  ].filter((part): part is string => typeof part === 'string' && part !== '');
}

export function Timeline({ order }: { order: Order }) {
  const params = { path: { id: order.id }, query: { limit: 100 } };
  const query = useGet(['history', order.id], () => api.GET('/v1/orders/{id}/history', { params }));
  return (
    <Section title="Timeline">
      {can('fulfillment') && <WriteNote order={order} />}
      <Waiting query={query} rows={4} />
      <ol class="rows tight">
        {query.data?.data.toReversed().map((event, index) => (
          <li key={index}>
            <span class="grow">
              <strong>{headline(event)}</strong> {event.reference}
              {detailsOf(event, order.currency).map((text) => (
                <span class={event.event === 'noted' ? 'line' : 'line soft'} key={text}>
                  {text}
                </span>
              ))}
            </span>
            <small>{event.actor.name || ACTORS[event.actor.type]}</small>
            <Time at={event.at} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

function WriteNote({ order }: { order: Order }) {
  const [written, setWritten] = useState(0);
  return (
    <div class="note-form">
      <Form
        key={written}
        verb="Add note"
        tone=""
        onSubmit={async (form) => {
          const body = { text: textIn(form, 'text') };
          await api.POST('/v1/orders/{id}/notes', { params: { path: order }, body });
          await refresh();
          setWritten(written + 1);
        }}
      >
        <input name="text" required aria-label="Note" placeholder="Note for your colleagues…" maxLength={2000} />
      </Form>
    </div>
  );
}
