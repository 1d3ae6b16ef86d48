import { api, type Order } from '../http.js';
import { Ask } from '../parts/ask.js';
import { Rows } from '../parts/list.js';
import { Badge, Section } from '../parts/page.js';
import { count, timeText } from '../parts/text.js';
import { can } from '../session.js';

const NAMES = {
  'notify-customer': 'Confirmation',
  'notify-merchant': 'To the store',
  'notify-shipment': 'Shipment',
  'notify-cancellation': 'Cancellation',
  'notify-refund': 'Refund',
} as const;

type Stage = Order['pipeline'][number];
type Mail = Stage & { readonly stage: keyof typeof NAMES };
const isMail = (stage: Stage): stage is Mail => stage.stage in NAMES;

/** Whether each mail of the order was sent, why not, and a way to send it again. */
export function Mails({ order }: { order: Order }) {
  const mails = order.pipeline.filter(isMail);
  if (mails.length === 0) return null;
  const end = (mail: Mail) => (
    <>
      <Badge state={mail.state} />
      {can('fulfillment') && ['done', 'dead'].includes(mail.state) && <Again order={order} mail={mail} />}
    </>
  );
  return (
    <Section title="Mails">
      <Rows
        rows={mails.map((mail) => ({
          key: mail.stage + mail.reference,
          name: `${NAMES[mail.stage]} ${mail.reference}`,
          detail: mail.last_error ? `${mail.last_error}, ${count(mail.attempts, 'attempt')}` : timeText(mail.at),
          end: end(mail),
        }))}
      />
    </Section>
  );
}

const Again = ({ order, mail: { stage, reference } }: { order: Order; mail: Mail }) => (
  <Ask
    label="Send again…"
    title={`Send the mail again: ${NAMES[stage].toLowerCase()} ${reference}`}
    verb="Send"
    tone="quiet"
    text={`To ${stage === 'notify-merchant' ? 'the store' : order.customer.email || 'the customer'}.`}
    send={() =>
      api.POST('/v1/orders/{id}/mails', { params: { path: order }, body: { stage, reference: reference || null } })
    }
    said="The mail is on its way."
  />
);
