import type { JSX } from 'preact';
import { api, type Order, type Stage } from '../http.js';
import { done } from '../parts/announce.js';
import { Ask } from '../parts/ask.js';
import { Badge } from '../parts/badge.js';
import { count } from '../parts/money.js';
import { Section } from '../parts/page.js';
import { timeText } from '../parts/time.js';
import { can } from '../session.js';

const NAMES = {
  'notify-customer': 'Confirmation',
  'notify-merchant': 'To the store',
  'notify-shipment': 'Shipment',
  'notify-cancellation': 'Cancellation',
  'notify-refund': 'Refund',
} as const;

type MailStage = keyof typeof NAMES;
type Mail = Stage & { readonly stage: MailStage };
const isMail = (stage: Stage): stage is Mail => stage.stage in NAMES;

/** Whether each mail of the order was sent, why not, and a way to send it again. */
export function Mails({ order }: { order: Order }): JSX.Element | null {
  const mails = order.pipeline.filter(isMail);
  if (mails.length === 0) return null;
  return (
    <Section title="Mails">
      <ul class="rows tight">
        {mails.map((mail) => (
          <li key={mail.stage + mail.reference}>
            <span class="grow">
              {NAMES[mail.stage]} {mail.reference}
              <small>
                {mail.last_error ? `${mail.last_error}, ${count(mail.attempts, 'attempt')}` : timeText(mail.at)}
              </small>
            </span>
            <Badge state={mail.state} />
            {can('fulfillment') && (mail.state === 'done' || mail.state === 'dead') && (
              <Again order={order} mail={mail} />
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Again({ order, mail }: { order: Order; mail: Mail }): JSX.Element {
  const { stage, reference } = mail;
  return (
    <Ask
      label="Send again…"
      title={`Send the mail again: ${NAMES[stage].toLowerCase()} ${reference}`}
      verb="Send"
      tone="quiet"
      onSubmit={async (_form, header) => {
        const body = { stage, reference: reference || null };
        await api.POST('/v1/orders/{id}/mails', { params: { path: order, header: header(body) }, body });
        await done('The mail is on its way.');
      }}
    >
      <p class="soft">To {stage === 'notify-merchant' ? 'the store' : order.customer.email || 'the customer'}.</p>
    </Ask>
  );
}
