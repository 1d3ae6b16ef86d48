import type { paths } from '@store-commerce/client';
import { allOf, api, get, useGet, useRead, type Schemas } from '../http.js';
import { readUnits } from '../parts/amount.js';
import { changesOf, ConfirmDialog, Field, Seen, Units, wordsIn, type Values } from '../parts/ask.js';
import { Filters, List, Named, pageOf, right, type Columns } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { dayText, joined } from '../parts/text.js';
import { go, to, useRoute } from '../route.js';
import { can } from '../session.js';

export type PriceList = Schemas['PriceList'];
type Body = paths['/v1/price-lists/{code}']['put']['requestBody']['content']['application/json'];

export const usePriceLists = () =>
  useRead(['/v1/price-lists', 'all'], () => allOf((query) => get('/v1/price-lists', { query })));

export const toList = (code: string): string => to(`/prices/${encodeURIComponent(code)}`);

export const choicesOf = (lists: readonly PriceList[] = []): string[][] => lists.map(({ code, name }) => [code, name]);

export const validText = ({ valid_from: from, valid_to: end }: PriceList): string =>
  joined([from && `from ${dayText(from)}`, end && `until ${dayText(end)}`]) || 'always';

const COLUMNS: Columns<PriceList> = {
  'Price list': ({ code, name }) => <Named name={name} href={toList(code)} small={[code]} />,
  Groups: ({ customer_groups: groups }) => <span class="line">{groups.join(', ')}</span>,
  Valid: (list) => validText(list),
  Priority: right(({ priority }) => priority.toLocaleString()),
};

export function PriceLists() {
  const { search: code, group, ...route } = useRoute().query;
  const query = { code, customer_group: group, ...pageOf(route) };
  const list = useGet('/v1/price-lists', { query });
  return (
    <Page title="Price lists" actions={can('catalog') && <EditPriceList />}>
      <Filters search="Complete code" table={{ path: '/v1/price-lists', query }}>
        <input name="group" aria-label="Group" placeholder="Group: any" autoComplete="off" defaultValue={group ?? ''} />
      </Filters>
      <List
        label="Price lists"
        noun="price list"
        query={list}
        columns={COLUMNS}
        empty="No matching price lists."
        first="No price lists yet. Create one for a group of customers."
        keyOf={(row) => row.code}
      />
    </Page>
  );
}

/** Reads the fields whose text is not their value. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  priority: readUnits,
  valid_from: (text) => text || null,
  valid_to: (text) => text || null,
  customer_groups: wordsIn,
};

async function save(values: Values, code: string | undefined): Promise<string> {
  const path = { code: code ?? values.code ?? '' };
  const { data: found } = await get('/v1/price-lists', { query: path });
  const [present] = found;
  if (present && code === undefined) {
    const message = `There is a price list ${path.code} already.`;
    throw Object.assign(new Error(message), { faults: [{ path: 'code', message }] });
  }
  const { code: _, ...given } = code === undefined ? values : changesOf(values);
  const read = (name: string, text: string) => (READERS[name] ? READERS[name](text) : text);
  const changed = Object.fromEntries(Object.entries(given).map(([name, text]) => [name, read(name, text)]));
  const { code: __, ...before } = present ?? { code: '' };
  await api.PUT('/v1/price-lists/{code}', { params: { path }, body: { ...before, ...changed } as Body });
  if (code === undefined) go(toList(path.code));
  return 'Price list saved.';
}

/** @param list absent for a new one. */
export function EditPriceList({ list }: { list?: PriceList }) {
  const texts = {
    ...{ name: list?.name ?? '', priority: String(list?.priority ?? 0) },
    ...{ valid_from: list?.valid_from ?? '', valid_to: list?.valid_to ?? '' },
    customer_groups: list?.customer_groups.join('\n') ?? '',
  };
  const words = list
    ? { label: 'Edit…', title: 'Edit price list', submitLabel: 'Save' }
    : { label: 'New price list…', title: 'New price list', submitLabel: 'Create' };
  return (
    <ConfirmDialog {...words} tone="primary" send={(values) => save(values, list?.code)}>
      {list && <Seen text={JSON.stringify(texts)} />}
      <div class="pair">
        {!list && <Field label="Code" name="code" required autoFocus hint="Without spaces. It cannot be changed." />}
        <Field label="Name" name="name" required autoFocus={!!list} defaultValue={texts.name} />
        <Units label="Priority" name="priority" begin={texts.priority} hint="The highest applies first." />
        <Field label="First day" name="valid_from" type="date" defaultValue={texts.valid_from} />
        <Field label="Last day" name="valid_to" type="date" defaultValue={texts.valid_to} />
      </div>
      <Field
        label="Groups of customers"
        name="customer_groups"
        rows={3}
        defaultValue={texts.customer_groups}
        hint="One per line. A customer without a group can have the list as its own."
      />
    </ConfirmDialog>
  );
}
