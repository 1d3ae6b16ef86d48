import { Check, Field, wordsIn, type Values } from '../parts/ask.js';
import { Rows } from '../parts/list.js';
import { Section } from '../parts/page.js';
import { joined } from '../parts/text.js';
import { Edit, Other, type OfSettings, type Settings } from './edit.js';

type Method = NonNullable<Settings['payment_settings']['methods']>[number];

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

export function Payments({ settings: { payment_settings } }: OfSettings) {
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
