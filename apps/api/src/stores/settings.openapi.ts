import { CommitOutcomeUnknown } from '@app/application';
import { SETTINGS } from '@app/bundles';
import { SettingsRefused, StaleSettings } from '@app/domain';
import { ref, type NamedSchema, type Representation, type ResourceDocumentation } from '@app/representations';
import { Type, type TSchema } from '@sinclair/typebox';
import { invalidField } from '../errors/invalid-fields.js';
import { bundleSchema } from '../openapi/bundle-schema.js';
import { ApiSingle, ApiWrite } from '../openapi/endpoints.js';

const FIELDS = Object.entries<TSchema>(bundleSchema(SETTINGS).properties);

/** A text of an answer is never null. */
const withoutNull = (schema: TSchema): TSchema =>
  JSON.parse(JSON.stringify(schema), (name, value: unknown) => {
    return name === 'type' && String(value) === 'string,null' ? 'string' : value;
  }) as TSchema;

function orNull({ type, ...schema }: TSchema & { type?: unknown }): TSchema {
  return { ...schema, type: [...new Set([type, 'null'].flat())] };
}

const Settings: Representation = {
  name: 'Settings',
  schema: Type.Object(Object.fromEntries(FIELDS.map(([name, schema]) => [name, withoutNull(schema)]))),
  example: {
    name: 'Acme',
    custom_domain: 'shop.acme.example',
    time_zone: 'Europe/Berlin',
    logo_url: 'https://cdn.example/acme.png',
    primary_color: '#112233',
    seo_title: 'Acme: everything',
    contact: { email: 'hello@acme.example', phone: '+49 30 123456', address: 'Hauptstr. 1, Berlin' },
    theme: { font: 'Inter' },
    payment_settings: {
      methods: [
        { methodId: 'cod', enabled: true },
        { methodId: 'stripe', enabled: true, isSandbox: false, credentials: 'set' },
      ],
    },
    ecommerce_settings: { template_id: 'classic', notifications: { refund: false } },
    fraud_settings: { blocked_emails: ['fraud@example.com'], review_amount: 50_000 },
    charge_settings: {
      prices_include_tax: true,
      rates: [{ country: 'DE', name: 'VAT', rate: 19 }],
      shipping: { amount: 490, free_from: 5_000 },
    },
  },
};

const SettingsChange: NamedSchema = {
  name: 'SettingsChange',
  schema: Type.Object({
    ...Object.fromEntries(
      FIELDS.map(([name, schema]) => [name, Type.Optional(name === 'name' ? schema : orNull(schema))]),
    ),
    expected: Type.Optional(
      Type.Unsafe<object>({
        type: ['object', 'null'],
        additionalProperties: true,
        description: 'Settings as you have read them. If one of them is different now, nothing changes.',
      }),
    ),
  }),
};

export const SETTINGS_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Settings',
  description: 'What the people of a store decide: profile, mails, payment methods, taxes, shipping and screening.',
  schemas: [Settings, SettingsChange],
};

export const ApiGetSettings = ApiSingle({
  operationId: 'getSettings',
  summary: 'The settings of the store',
  description: 'Each stored secret is shown as `set`.',
  of: Settings,
});

export const ApiChangeSettings = ApiWrite({
  operationId: 'changeSettings',
  summary: 'Change settings of the store',
  description:
    'Each given setting is replaced as a whole, and the others stay. Null sets the default. `set` keeps a stored secret. ' +
    'A payment method that the new list leaves out loses its credentials.',
  of: Settings,
  body: { schema: ref('SettingsChange'), example: { time_zone: 'Europe/Berlin', expected: { time_zone: 'UTC' } } },
  answer: { status: 200, description: 'All settings after the change.' },
  failures: [
    invalidField('time_zone must be UTC or an IANA time zone such as "Europe/Berlin"'),
    new StaleSettings(['time_zone']),
    new SettingsRefused([
      {
        path: 'payment_settings.methods[0].credentials',
        message: 'has no stored secret to keep, or several: send the secret itself',
      },
    ]),
    new CommitOutcomeUnknown(null),
  ],
});
