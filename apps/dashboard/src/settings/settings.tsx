import { keyNow, useGet } from '../http.js';
import { plainMoney, readAmount, readUnits } from '../parts/amount.js';
import { Check, Field, wordsIn, type Values } from '../parts/ask.js';
import { Facts } from '../parts/list.js';
import { Page, QueryStatus, Section } from '../parts/page.js';
import { Lines } from '../parts/text.js';
import { Edit, Other, type OfSettings, type Settings } from './edit.js';
import { Payments } from './payments.js';

type Rate = NonNullable<Settings['charge_settings']['rates']>[number];

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
      <Facts facts={MAILS.map((mail) => [`Mail: ${mail}`, notifications[mail] === false ? 'off' : 'on'] as const)} />
      <Other label="Storefront" of={others} />
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
    const name = `review_orders_per_${contact}` as const;
    const limit = fraud_settings[name];
    const text = limit === null ? 'no limit' : String(limit ?? '');
    const hint = `Empty: ${LIMITS[contact]}. “no limit” is allowed.`;
    return { name, label: `Orders per hour of one ${contact}`, text, hint };
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
