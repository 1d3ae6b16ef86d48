import { api, useGet, type Order, type Schemas } from '../http.js';
import { Ask, Field, textIn } from '../parts/ask.js';
import { capital, Rows } from '../parts/list.js';
import { Badge, Section, Waiting } from '../parts/page.js';
import { count, money, Time, timeText } from '../parts/text.js';
import { can } from '../session.js';
import { change } from './change.js';

interface OfOrder {
  readonly order: Order;
}

type Shipment = Order['shipments'][number];
/** What can become of a shipment. */
const NEXT: Readonly<Record<string, readonly ('shipped' | 'delivered' | 'void')[]>> = {
  picking: ['shipped', 'void'],
  shipped: ['delivered'],
};

const shipmentText = ({ items, carrier, tracking_number }: Shipment) =>
  [items.map(({ line, quantity }) => `${quantity} × line ${line}`).join(', '), `${carrier} ${tracking_number}`.trim()]
    .filter(Boolean)
    .join(' · ');

export function Shipments({ order: { id, shipments } }: OfOrder) {
  if (shipments.length === 0) return null;
  const end = ({ reference, status: now, shipped_at }: Shipment) => [
    <Badge key="state" state={now} />,
    shipped_at && <Time key="at" at={shipped_at} />,
    can('fulfillment') &&
      NEXT[now]?.map((status) => (
        <Ask
          key={status}
          title={`Is ${reference} ${status}?`}
          verb={capital(status)}
          tone={status === 'void' ? 'danger' : 'quiet'}
          text={status === 'void' ? 'Its units are to ship again.' : 'The history of the order keeps the time.'}
          send={() => {
            const path = { id, reference };
            return api.PATCH('/v1/orders/{id}/shipments/{reference}', { params: { path }, body: { status } });
          }}
          said={`${reference} is ${status}.`}
        />
      )),
  ];
  return (
    <Section title="Shipments" flush>
      <Rows
        rows={shipments.map((shipment) => ({
          key: shipment.reference,
          name: <strong>{shipment.reference}</strong>,
          detail: shipmentText(shipment),
          end: end(shipment),
        }))}
      />
    </Section>
  );
}

type Stage = Order['pipeline'][number];
type Mail = Stage & Pick<Schemas['RepeatMailRequest'], 'stage'>;
const isMail = (stage: Stage): stage is Mail => stage.stage.startsWith('notify-');

const MAILS: Readonly<Record<string, string>> = { customer: 'Confirmation', merchant: 'To the store' };

/** Whether each mail of the order was sent, why not, and a way to send it again. */
export function Mails({ order: { id, pipeline, customer } }: OfOrder) {
  const mails = pipeline.filter(isMail);
  if (mails.length === 0) return null;
  const row = ({ stage, reference, state, last_error, attempts, at }: Mail) => {
    const about = stage.replace('notify-', '');
    const name = `${MAILS[about] ?? capital(about)} ${reference}`;
    const canRepeat = can('fulfillment') && ['done', 'dead'].includes(state);
    return {
      key: stage + reference,
      name,
      detail: last_error ? `${last_error}, ${count(attempts, 'attempt')}` : timeText(at),
      end: [
        <Badge key="state" state={state} />,
        canRepeat && (
          <Ask
            key="again"
            label="Send again…"
            title={`Send the mail again: ${name}`}
            verb="Send"
            tone="quiet"
            text={`To ${about === 'merchant' ? 'the store' : customer.email || 'the customer'}.`}
            send={() => change(id, 'mails', { stage, reference: reference || null })}
            said="The mail is on its way."
          />
        ),
      ],
    };
  };
  return (
    <Section title="Mails">
      <Rows rows={mails.map(row)} />
    </Section>
  );
}

type OrderEvent = Schemas['OrderEvent'];

const lower = (text: string | null) => text?.toLowerCase().replaceAll('_', ' ') ?? '';

function headline({ event, field, from, to }: OrderEvent): string {
  if (event !== 'status_changed') return capital(lower(event));
  return `${field === 'status' ? 'Payment' : 'Fulfilment'} ${lower(from)} → ${lower(to)}`;
}

/** What else is known, as far as a person can use it. */
const detailOf = ({ event, details: { reason, amount, status } }: OrderEvent, currency: string) =>
  [typeof amount === 'number' && money(amount, currency), event.startsWith('shipment') && status, reason]
    .filter((part) => typeof part === 'string')
    .join(' · ');

const whoOf = ({ name, type }: OrderEvent['actor']) =>
  name || (type === 'pipeline' || type === 'system' ? 'the service' : type);

export function Timeline({ order: { id, currency } }: OfOrder) {
  const params = { path: { id }, query: { limit: 100 } };
  const query = useGet(['history', id], () => api.GET('/v1/orders/{id}/history', { params }));
  const rows = query.data?.data.toReversed().map((event, key) => ({
    key,
    name: [<strong key="event">{headline(event)}</strong>, ' ', event.reference, event.details.text],
    detail: detailOf(event, currency),
    end: [<small key="who">{whoOf(event.actor)}</small>, <Time key="at" at={event.at} />],
  }));
  return (
    <Section title="Timeline" actions={can('fulfillment') && <WriteNote id={id} />}>
      <Waiting query={query} rows={4} />
      <Rows rows={rows ?? []} />
    </Section>
  );
}

const WriteNote = ({ id }: { id: string }) => (
  <Ask
    title="Add a note"
    label="Add note…"
    verb="Add note"
    text="For your colleagues. The customer does not see it."
    send={(form) => change(id, 'notes', { text: textIn(form, 'text') })}
    said="The note is added."
  >
    <Field label="Note" name="text" required autoFocus maxLength={2000} />
  </Ask>
);
