import type { ComponentChildren } from 'preact';
import { api, keyNow, useGet, type Schemas } from '../http.js';
import { plainMoney, readAmount, readUnits } from '../parts/amount.js';
import { Check, ConfirmDialog, Field, Seen, wordsIn, type Values } from '../parts/ask.js';
import { Facts, Rows } from '../parts/list.js';
import { Page, QueryStatus, Section } from '../parts/page.js';
import { joined, Lines } from '../parts/text.js';

type Settings = Schemas['Settings'];
type Method = NonNullable<Settings['payment_settings']['methods']>[number];
type Rate = NonNullable<Settings['charge_settings']['rates']>[number];
type OfSettings = Readonly<{ settings: Settings }>;

interface EditProps {
  readonly title: string;
  readonly label?: string | undefined;
  readonly submitLabel?: string;
  readonly tone?: 'quiet' | 'danger';
  /** The settings that the dialog changes. If another person has changed them since it opened, nothing changes. */
  readonly of: Partial<Settings>;
  /** Returns the settings that change. @param seen those of the dialog, as they were when it opened. */
  readonly read: (this: void, values: Values, seen: Settings) => Partial<Settings>;
  readonly children?: ComponentChildren;
}

function Edit({ title, label = `${title}…`, submitLabel = 'Save', tone = 'quiet', of, read, children }: EditProps) {
  const send = ({ seen = '{}', ...values }: Values) => {
    const expected = JSON.parse(seen) as Settings;
    return api.PATCH('/v1/settings', { body: { ...read(values, expected), expected } });
  };
  return (
    <ConfirmDialog {...{ title, label, submitLabel, tone, send }} toast="Settings saved.">
      <Seen text={JSON.stringify(of)} />
      {children}
    </ConfirmDialog>
  );
}

interface FieldText {
  readonly name: string;
  readonly label: string;
  readonly text: string;
  readonly hint?: string;
  /** For a text with one entry per line. */
  readonly rows?: number;
}

const fieldsOf = (fields: readonly FieldText[]) =>
  fields.map(({ text, ...field }) => (
    <Field key={field.name} {...field} defaultValue={text} required={field.name === 'name'} autoComplete="off" />
  ));

const MAX_LINES = 8;

const factsOf = (fields: readonly FieldText[]) =>
  fields.map(({ label, text }) => {
    const lines = text.split('\n');
    const left = lines.length - MAX_LINES;
    return [
      label,
      <Lines key="" of={[...lines.slice(0, MAX_LINES), left > 0 && `${left} more`, !text && 'none']} />,
    ] as const;
  });

/** Settings without fields of their own. */
const Other = ({ label, of }: { label: string; of: object }) =>
  Object.keys(of).length > 0 && (
    <Field label={`${label} (read only)`} rows={5} readOnly value={JSON.stringify(of, null, 2)} />
  );

function Shop({ settings: { contact, theme, ...settings } }: OfSettings) {
  const { name, custom_domain, time_zone, seo_title, logo_url, primary_color } = settings;
  const profile = { name, custom_domain, time_zone, seo_title, logo_url, primary_color };
  const fields = [
    { name: 'name', label: 'Name', text: name },
    { name: 'custom_domain', label: 'Domain', text: custom_domain },
    { name: 'time_zone', label: 'Time zone', text: time_zone, hint: 'Such as Europe/Berlin.' },
    { name: 'seo_title', label: 'Title in search engines', text: seo_title },
    { name: 'logo_url', label: 'Logo (URL)', text: logo_url },
    { name: 'primary_color', label: 'Colour', text: primary_color, hint: 'Such as #112233.' },
  ];
  const contacts = [
    { name: 'email', label: 'Email', text: contact.email ?? '' },
    { name: 'phone', label: 'Phone', text: contact.phone ?? '' },
    { name: 'address', label: 'Address', text: contact.address ?? '' },
  ];
  const actions = (
    <div class="actions">
      <Edit title="Edit shop" of={profile} read={(values) => values} children={fieldsOf(fields)} />
      <Edit
        title="Edit contact"
        of={{ contact }}
        read={(values) => ({ contact: values })}
        children={fieldsOf(contacts)}
      />
    </div>
  );
  return (
    <Section title="Shop" actions={actions}>
      <Facts facts={factsOf([...fields, ...contacts])} />
      <Other label="Theme" of={theme} />
    </Section>
  );
}

const MAILS = ['shipment', 'cancellation', 'refund'] as const;

function Mails({ settings: { ecommerce_settings } }: OfSettings) {
  const { notifications = {}, ...others } = ecommerce_settings;
  const read = (values: Values, { ecommerce_settings: seen }: Settings) => {
    const switches = Object.fromEntries(MAILS.map((mail) => [mail, mail in values]));
    return { ecommerce_settings: { ...seen, notifications: { ...seen.notifications, ...switches } } };
  };
  const edit = (
    <Edit title="Edit mails" of={{ ecommerce_settings }} read={read}>
      <p class="soft">The customer gets a mail after each of these changes of an order.</p>
      {MAILS.map((mail) => (
        <Check key={mail} label={mail} name={mail} defaultChecked={notifications[mail] !== false} />
      ))}
    </Edit>
  );
  return (
    <Section title="Mails and storefront" actions={edit}>
      <Facts facts={MAILS.map((mail) => [`Mail: ${mail}`, notifications[mail] === false ? 'off' : 'on'])} />
      <Other label="Storefront" of={others} />
    </Section>
  );
}

/** Reads lines such as `secret_key=abc`. The message does not repeat a line, which may be a secret. */
function readCredentials(text: string): Record<string, string> {
  const pairs = wordsIn(text).map((line, index) => {
    const [, name = '', value = ''] = /^([^=\s]+)\s*=\s*(.+)$/.exec(line) ?? [];
    if (!name) throw new Error(`Line ${index + 1} of the credentials is not like name=value.`);
    return [name, value] as const;
  });
  return Object.fromEntries(pairs);
}

function readMethod({ methodId = '', credentials, ...boxes }: Values, old?: Method): Method {
  const flags = { enabled: 'enabled' in boxes, isSandbox: 'isSandbox' in boxes };
  const secrets = 'forget' in boxes ? null : credentials && readCredentials(credentials);
  return { methodId, ...old, ...flags, ...(secrets !== '' && secrets !== undefined && { credentials: secrets }) };
}

function Payments({ settings: { payment_settings } }: OfSettings) {
  const { methods = [], ...others } = payment_settings;
  const of = { payment_settings };
  const reading = (change: (all: Method[], values: Values) => Method[]) => (values: Values, seen: Settings) => ({
    payment_settings: { ...seen.payment_settings, methods: change(seen.payment_settings.methods ?? [], values) },
  });
  const fields = (method?: Method) => (
    <>
      {!method && <Field label="Method" name="methodId" required maxLength={64} autoFocus />}
      <Check label="Customers can choose it" name="enabled" defaultChecked={method?.enabled ?? true} />
      <Check label="Uses the sandbox of the gateway" name="isSandbox" defaultChecked={method?.isSandbox ?? false} />
      <Field
        {...{ label: 'New credentials', name: 'credentials', rows: 3, spellcheck: false, autoComplete: 'off' }}
        hint="One name=value per line. Empty: the stored credentials stay. They are never shown."
      />
      {method?.credentials && <Check label="Delete the stored credentials" name="forget" />}
    </>
  );
  const rows = methods.map((method) => {
    const { methodId: key, enabled, isSandbox, credentials } = method;
    const change = reading((all, values) =>
      all.map((each) => (each.methodId === key ? readMethod(values, each) : each)),
    );
    const without = reading((all) => all.filter(({ methodId }) => methodId !== key));
    const end = (
      <div class="actions">
        <Edit title={`Edit ${key}`} label="Edit…" of={of} read={change} children={fields(method)} />
        <Edit title={`Remove ${key}?`} label="Remove…" submitLabel="Remove" tone="danger" of={of} read={without}>
          <p class="soft">Its stored credentials are deleted, too.</p>
        </Edit>
      </div>
    );
    const detail = joined([enabled ? 'enabled' : 'off', isSandbox && 'sandbox', credentials && 'credentials stored']);
    return { key, name: key, detail, end };
  });
  const add = reading((all, values) => [...all, readMethod(values)]);
  return (
    <Section
      title="Payment methods"
      actions={<Edit title="Add payment method" of={of} read={add} children={fields()} />}
    >
      {rows.length > 0 ? <Rows rows={rows} /> : <p class="soft">No payment methods.</p>}
      <Other label="Other payment settings" of={others} />
    </Section>
  );
}

const currency = () => keyNow()?.store.currency ?? '';
const moneyText = (minor?: number | null) => (typeof minor === 'number' ? plainMoney(minor, currency()) : '');
const readMoney = (text = '') => (text === '' ? undefined : readAmount(text, currency()));

const rateText = ({ country, name, rate, category }: Rate) =>
  [country, name, rate, category].filter((part) => part !== undefined).join('; ');

function readRate(line: string): Rate {
  const [country = '', name = '', rate = '', category] = line.split(';').map((part) => part.trim());
  if (!/^\d+([.,]\d+)?$/.test(rate)) throw new Error(`“${line}” is not like DE; VAT; 19.`);
  return { country, name, rate: Number(rate.replace(',', '.')), ...(category && { category }) };
}

function Charges({ settings: { charge_settings } }: OfSettings) {
  const {
    rates = [],
    shipping,
    prices_include_tax: isIncluded = false,
    reverse_charge_from: from = '',
  } = charge_settings;
  const hint = 'One per line: country; name; percent; category, for only its products.';
  const fields = [
    { name: 'rates', label: 'Tax rates', text: rates.map(rateText).join('\n'), rows: 5, hint },
    {
      name: 'reverse_charge_from',
      label: 'Reverse charge from',
      text: from,
      hint: 'The country of the store, or empty.',
    },
    { name: 'amount', label: `Shipping (${currency()})`, text: moneyText(shipping?.amount) },
    {
      name: 'free_from',
      label: `Free from (${currency()})`,
      text: moneyText(shipping?.free_from),
      hint: 'Empty: never.',
    },
  ];
  const read = (values: Values) => {
    const [amount, free] = [readMoney(values['amount']), readMoney(values['free_from'])];
    const charges = {
      prices_include_tax: 'prices_include_tax' in values,
      rates: wordsIn(values['rates'] ?? '').map(readRate),
      ...(values['reverse_charge_from'] && { reverse_charge_from: values['reverse_charge_from'] }),
      ...(amount !== undefined && { shipping: { amount, ...(free !== undefined && { free_from: free }) } }),
    };
    return { charge_settings: charges };
  };
  const edit = (
    <Edit title="Edit taxes and shipping" of={{ charge_settings }} read={read}>
      <Check label="Prices and shipping include tax" name="prices_include_tax" defaultChecked={isIncluded} />
      {fieldsOf(fields)}
      <p class="soft">They apply to new orders within a second. Placed orders do not change.</p>
    </Edit>
  );
  return (
    <Section title="Taxes and shipping" actions={edit}>
      <Facts facts={[['Prices', isIncluded ? 'with tax' : 'without tax'], ...factsOf(fields)]} />
    </Section>
  );
}

const LIMITS = { email: 30, phone: 30, address: 60 } as const;

function Screening({ settings: { fraud_settings } }: OfSettings) {
  const { blocked_emails = [], blocked_phones = [], review_amount } = fraud_settings;
  const limits = (Object.keys(LIMITS) as (keyof typeof LIMITS)[]).map((contact) => {
    const limit = fraud_settings[`review_orders_per_${contact}`];
    const text = limit === null ? 'no limit' : String(limit ?? '');
    const hint = `Empty: ${LIMITS[contact]}. “no limit” is allowed.`;
    return { name: `review_orders_per_${contact}`, label: `Orders per hour of one ${contact}`, text, hint };
  });
  const fields = [
    {
      name: 'blocked_emails',
      label: 'Blocked emails',
      text: blocked_emails.join('\n'),
      rows: 4,
      hint: 'One per line.',
    },
    {
      name: 'blocked_phones',
      label: 'Blocked phones',
      text: blocked_phones.join('\n'),
      rows: 4,
      hint: 'One per line.',
    },
    {
      name: 'review_amount',
      label: `Review from (${currency()})`,
      text: moneyText(review_amount),
      hint: 'Empty: never.',
    },
    ...limits,
  ];
  const read = (values: Values) => {
    const amount = readMoney(values['review_amount']);
    const given = limits.map(({ name }) => [name, values[name] ?? ''] as const).filter(([, text]) => text !== '');
    const limited = given.map(([name, text]) => [name, text === 'no limit' ? null : readUnits(text)] as const);
    const blocked = (name: string) => wordsIn(values[name] ?? '');
    return {
      fraud_settings: {
        ...{ blocked_emails: blocked('blocked_emails'), blocked_phones: blocked('blocked_phones') },
        ...(amount !== undefined && { review_amount: amount }),
        ...Object.fromEntries(limited),
      },
    };
  };
  const edit = <Edit title="Edit screening" of={{ fraud_settings }} read={read} children={fieldsOf(fields)} />;
  return (
    <Section title="Screening of orders" actions={edit}>
      <Facts facts={factsOf(fields)} />
    </Section>
  );
}

export function SettingsPage() {
  const query = useGet('/v1/settings', {});
  const settings = query.data?.data;
  const parts = [Shop, Mails, Payments, Charges, Screening];
  return (
    <Page title="Settings">
      <QueryStatus query={query} rows={8} />
      {settings && parts.map((Part, index) => <Part key={index} settings={settings} />)}
    </Page>
  );
}
