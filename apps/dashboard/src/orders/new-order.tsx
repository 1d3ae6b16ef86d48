import { useEffect, useRef, useState } from 'preact/hooks';
import type { paths } from '@store-commerce/client';
import { api, codeOf, get, isDown, queries, refresh, textOf, useRead, type Schemas } from '../http.js';
import { minorOf, money } from '../parts/amount.js';
import { Check, Choices, Field, Form, type Values } from '../parts/ask.js';
import { Facts } from '../parts/list.js';
import { Alert, Forbidden, LinkButton, Note, Page, Section } from '../parts/page.js';
import { joined } from '../parts/text.js';
import { go, to, useRoute } from '../route.js';
import { can, currency } from '../session.js';
import { Account, ADDRESS, ChooseCustomer } from './new-order-customer.js';
import { AddLines, fieldOf, isOfLines, itemsIn, lineFaults, priceText, useTyped } from './lines.js';

type Body = paths['/v1/orders']['post']['requestBody']['content']['application/json'];
/** With the fields of its items. */
type Quote = Schemas['OrderPreview'] & Readonly<{ fields: readonly string[] }>;
type Customer = Schemas['Customer'];

const METHODS = { COD: 'Paid on delivery', OFFLINE: 'Paid otherwise, such as by bank transfer' };
const ADDRESS_NAMES = Object.keys(ADDRESS) as (keyof typeof ADDRESS)[];

/** The fields that decide prices and charges. A name is required, and decides nothing. */
function pricedOf(values: Values, customer_id?: string): Body {
  const { email = '', zip = '', region = '', vat_id = '', country = '' } = values;
  const place = { zip, region, vat_id, country: /^[a-z]{2}$/i.test(country) ? country : '' };
  return { items: itemsIn(values), customer_id: customer_id ?? null, customer: { name: 'Preview', email, ...place } };
}

const quoteOf = (body: Body) => ({
  queryKey: ['/v1/orders/preview', body],
  queryFn: async (): Promise<Quote | null> => {
    if (body.items.length === 0) return null;
    const { data } = await api.POST('/v1/orders/preview', { body });
    return data ? { ...data.data, fields: body.items.map(fieldOf) } : null;
  },
});

function bodyOf(values: Values, customer_id?: string): Body {
  const { name = '', email = '', phone = '', notes = '', external_reference, payment_method, notify } = values;
  const address = Object.fromEntries(ADDRESS_NAMES.map((field) => [field, values[field] ?? '']));
  return {
    ...pricedOf(values, customer_id),
    customer: { name, email, phone, ...address },
    ...{ notes, external_reference: external_reference || null, notify: !!notify, currency: currency() },
    payment_method: payment_method as keyof typeof METHODS,
  };
}

/** Returns the problems of the lines as texts by field. */
function problemsOf({ problems, fields }: Quote) {
  const texts = problems.flatMap(({ code, path, requested, available }) => {
    const name = fields[Number(/^items\[(\d+)\]/.exec(path)?.[1])];
    const other = code === 'quantity_not_offered' ? `${requested} is not offered.` : UNAVAILABLE;
    return name ? [[name, available === null ? other : `Only ${available} available.`] as const] : [];
  });
  return Object.fromEntries(texts);
}

/** Returns the amounts of the lines by field. A quote has no items for unavailable lines. */
function amountsOf(quote: Quote) {
  const problems = problemsOf(quote);
  const names = quote.fields.filter((name) => problems[name] !== UNAVAILABLE);
  const texts = quote.items.map(({ price, quantity, price_source }, index) => {
    const amount = money(minorOf(price, currency()) * quantity, currency());
    return [names[index] ?? '', joined([amount, price_source])] as const;
  });
  return Object.fromEntries(texts);
}

const Totals = ({ quote: { subtotal, tax_lines, shipping, discount, total } }: { quote: Quote }) => (
  <Facts
    facts={[
      ['Subtotal', priceText(subtotal)],
      ...tax_lines.map(
        (tax) => [`${tax.name} ${tax.rate} %${tax.included ? ' (included)' : ''}`, priceText(tax.amount)] as const,
      ),
      shipping > 0 && ['Shipping', priceText(shipping)],
      discount > 0 && ['Discount', priceText(-discount)],
      ['Total', <strong key="total" children={priceText(total)} />],
    ]}
  />
);

const UNAVAILABLE = 'Not available.';
const CHECK = 'Check it, then place the order.';
const UNKNOWN = 'The order may have been placed. Press “Place order” again: it is placed only once.';

export function NewOrder() {
  const { customer: id } = useRoute().query;
  const [placed, setPlaced] = useState('');
  const account = useRead(['/v1/customers/{id}', id], async () =>
    id ? (await get('/v1/customers/{id}', { path: { id } })).data : null,
  );
  const customer = account.isPlaceholderData ? undefined : account.data;
  const title = 'New order';
  if (!can('orders')) return <Page title={title} back="Orders" children={<Forbidden />} />;
  return (
    <Page title={title} back="Orders">
      {account.error && <Alert>{textOf(account.error)}</Alert>}
      {placed ? (
        <Note tone="wait" action={<LinkButton text={`Open ${placed}`} href={to(`/orders/${placed}`)} />}>
          The order was placed before your last changes. Change it on its page.
        </Note>
      ) : (
        <OrderForm id={id} customer={customer} onPlaced={setPlaced} />
      )}
    </Page>
  );
}

type OrderFormProps = Readonly<{
  id: string | undefined;
  customer: Customer | null | undefined;
  onPlaced: (receipt: string) => void;
}>;

function OrderForm({ id, customer, onPlaced }: OrderFormProps) {
  // Every attempt of this form has one key, so that the service places one order.
  const [key] = useState(() => crypto.randomUUID());
  const unanswered = useRef<Body[]>([]);
  const [refusal, setRefusal] = useState<unknown>();
  const { ref, values } = useTyped<HTMLDivElement>();
  const asked = pricedOf(values, id);
  const { queryKey, queryFn } = quoteOf(asked);
  const { data: quote, error, isPlaceholderData } = useRead(queryKey, queryFn);
  const request = JSON.stringify(asked);
  useEffect(() => setRefusal(undefined), [request]);

  const post = async (body: Body) => {
    const { data } = await api.POST('/v1/orders', { params: { header: { 'Idempotency-Key': key } }, body });
    return data?.data.receipt_number ?? '';
  };
  /** Finds the order of an earlier attempt, which the service has placed although its answer was lost. */
  const placedBefore = async () => {
    for (const body of unanswered.current) {
      const receipt = await post(body).catch((failure: unknown) => {
        if (codeOf(failure) !== 'idempotency_mismatch') throw failure;
      });
      if (receipt) return receipt;
    }
    return '';
  };
  const send = async (all: Values) => {
    const priced = pricedOf(all, id);
    if (priced.items.length === 0) throw new Error('Add a product first.');
    const quoted = quoteOf(priced);
    const newTotal = async () => (await queries.fetchQuery({ ...quoted, staleTime: 0 }))?.total ?? 0;
    const seen = queries.getQueryData<Quote>(quoted.queryKey);
    if (!seen) throw new Error(`The total is ${priceText(await newTotal())}. ${CHECK}`);
    const body = { ...bodyOf(all, id), expected_total: seen.total };
    try {
      const receipt = await post(body);
      void refresh();
      go(to(`/orders/${receipt}`), true);
    } catch (failure) {
      if (isDown(failure)) {
        unanswered.current.push(body);
        throw new Error(`${textOf(failure)} ${UNKNOWN}`, { cause: failure });
      }
      const receipt = codeOf(failure) === 'idempotency_mismatch' && (await placedBefore());
      if (receipt) return onPlaced(receipt);
      setRefusal(failure);
      const now = priceText(await newTotal());
      if (isOfLines(failure)) throw new Error('The service refuses the marked lines.', { cause: failure });
      if (codeOf(failure) !== 'price_changed') throw failure;
      throw new Error(`The total is ${now} now, not ${priceText(seen.total)}. ${CHECK}`, { cause: failure });
    }
  };
  return (
    <Form submitLabel="Place order" send={send}>
      <Section title="Customer">
        <ChooseCustomer customer={customer} />
        <Account key={customer?.id} customer={customer} />
      </Section>
      <Section title="Products">
        <AddLines
          customer={id}
          amounts={quote ? amountsOf(quote) : {}}
          faults={{ ...(quote && problemsOf(quote)), ...lineFaults(refusal, { items: asked.items.map(fieldOf) }) }}
        />
      </Section>
      <Section title="Order details">
        <div class="form">
          <Choices label="Payment" name="payment_method" begin="COD" of={METHODS} />
          <Field label="Your reference" name="external_reference" maxLength={64} autoComplete="off" />
          <Field label="Note" name="notes" rows={2} />
          <Check label="Send a confirmation" name="notify" defaultChecked />
        </div>
      </Section>
      <div ref={ref} aria-live="polite" data-stale={isPlaceholderData}>
        {error && <Alert>{textOf(error)}</Alert>}
        {quote && <Totals quote={quote} />}
      </div>
    </Form>
  );
}
