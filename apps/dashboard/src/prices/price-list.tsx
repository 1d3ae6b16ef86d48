import { api, get, statusOf, useGet, useRead } from '../http.js';
import { ConfirmDialog } from '../parts/ask.js';
import { Filters, List, Named, type Columns } from '../parts/list.js';
import { LinkButton, Page, Section } from '../parts/page.js';
import { go, to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { keyOf, priceColumns, pricesOf, unitName, type ListPrice } from './list-price.js';
import { Sheet } from './paste.js';
import { EditPriceList, validText, type PriceList } from './price-lists.js';

const COLUMNS: Columns<ListPrice> = {
  SKU: (row) => <Named name={unitName(row)} href={to(`/products/${row.product_id}`)} />,
};

/** An address that names no page shows the first one. */
async function readPage(list: string, { search, page }: Route['query']) {
  const query = { list, sku: search, limit: 50 };
  const read = await get('/v1/prices', { query: { ...query, cursor: page } }).catch((error: unknown) => {
    if (!page || statusOf(error) !== 400) throw error;
    return get('/v1/prices', { query });
  });
  const data = read.data.flatMap(pricesOf);
  return { data, pagination: { total: data.length }, next: read.has_more ? read.cursor : undefined };
}

export function PriceListPage({ code }: { code: string }) {
  const { path, query } = useRoute();
  const read = useGet('/v1/price-lists/{code}', { path: { code } });
  const prices = useRead(['/v1/prices', code, query], () => readPage(code, query));
  const list = read.data?.data;
  if (!list) return <Page title={`Price list ${code}`} back="Prices" waits={read} />;
  const { page, ...first } = query;
  const next = prices.data?.next;
  return (
    <Page
      title={list.name}
      back="Prices"
      actions={can('catalog') && [<EditPriceList key="edit" list={list} />, <Delete key="delete" list={list} />]}
      facts={[list.code, list.currency, `valid ${validText(list)}`, `priority ${list.priority.toLocaleString()}`]}
      about={<AppliesTo list={list} />}
    >
      {can('catalog') && <Sheet list={list} />}
      <Filters search="Complete SKU" table={{ path: '/v1/prices', query: { list: code, sku: query.search } }}>
        {null}
      </Filters>
      <List
        label="Prices"
        query={prices}
        columns={{ ...COLUMNS, ...priceColumns() }}
        empty="No prices."
        keyOf={keyOf}
      />
      {(page || next) && (
        <nav class="pages" aria-label="Pages">
          {page && <LinkButton text="First page" href={to(path, first)} />}
          {next && <LinkButton text="Next" rel="next" href={to(path, { ...first, page: next })} />}
        </nav>
      )}
    </Page>
  );
}

function AppliesTo({ list: { code, customer_groups: groups } }: { list: PriceList }) {
  return (
    <Section title="Applies to">
      {groups.map((group) => (
        <a key={group} class="line" href={to('/customers', { group })} children={`Group ${group}`} />
      ))}
      <a class="line" href={to('/customers', { price_list: code })} children="Customers with this list" />
    </Section>
  );
}

function Delete({ list: { code, name } }: { list: PriceList }) {
  const remove = async () => {
    await api.DELETE('/v1/price-lists/{code}', { params: { path: { code } } });
    go(to('/prices'));
  };
  const text = 'Deletes the list with all of its prices. Customers of its groups then pay other prices.';
  return <ConfirmDialog title={`Delete ${name}?`} submitLabel="Delete" tone="danger" text={text} send={remove} />;
}
