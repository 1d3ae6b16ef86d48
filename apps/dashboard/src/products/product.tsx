import { api, useGet } from '../http.js';
import { COLUMNS as ORDER_COLUMNS, describe, ONLY_MODE } from '../orders/columns.js';
import { Facts, List, Named, Table, type Column } from '../parts/list.js';
import { Badge, Page, Section } from '../parts/page.js';
import { to } from '../route.js';
import { can } from '../session.js';
import { CHANGES } from '../stock/changes.js';
import type { StockRow } from '../stock/movements.js';
import { EditPrice, EditProduct, priceText, type Product } from './edit.js';

export function ProductPage({ id }: { id: string }) {
  const query = useGet(['product', id], () =>
    api.GET('/v1/products/{idOrSlug}', { params: { path: { idOrSlug: id } } }),
  );
  const product = query.data?.data;
  if (!product) return <Page title={`Product ${id}`} back="Products" waits={query} />;
  return (
    <Page
      title={product.name}
      back="Products"
      actions={
        can('catalog') && (
          <>
            <EditProduct product={product} />
            <EditPrice product={product} />
          </>
        )
      }
      badges={[
        <Badge key="status" state={product.status} />,
        product.featured && <Badge key="featured" state="featured" tone="info" />,
      ]}
      facts={[
        priceText(product.price),
        `${product.quantity.toLocaleString()} available`,
        product.sku,
        product.brand?.name,
      ]}
      about={<About product={product} />}
    >
      <Variants product={product} />
      <Bins product={product} />
      <LastOrders product={product} />
    </Page>
  );
}

type Variant = Product['variants'][number];

function Variants({ product }: { product: Product }) {
  if (product.variants.length === 0) return null;
  const columns: Column<Variant>[] = [
    { name: 'Variant', cell: (variant) => <Named name={variant.name} small={[describe(variant)]} /> },
    { name: 'Status', cell: ({ status }) => <Badge state={status} /> },
    { name: 'Available', isNumber: true, cell: ({ quantity }) => quantity.toLocaleString() },
    { name: 'Price', isNumber: true, cell: ({ price }) => priceText(price) },
    {
      name: 'Change',
      isNumber: true,
      cell: (variant) => (
        <span class="actions">{can('catalog') && <EditPrice product={product} variant={variant} />}</span>
      ),
    },
  ];
  return (
    <Section title="Variants" flush>
      <Table label="Table of the variants" rows={product.variants} columns={columns} />
    </Section>
  );
}

const BINS: readonly Column<StockRow>[] = [
  { name: 'Bin', cell: ({ warehouse, bin }) => <span class="n">{`${warehouse}/${bin}`}</span> },
  { name: 'SKU', cell: ({ sku }) => <span class="line">{sku}</span> },
  { name: 'Available', isNumber: true, cell: ({ quantity }) => quantity.toLocaleString() },
  CHANGES,
];

function Bins({ product: { id } }: { product: Product }) {
  const params = { query: { product_id: Number(id), limit: 100 } };
  const list = useGet(['stock', 'product', id], () => api.GET('/v1/stock', { params }));
  return (
    <Section title="Bins" flush>
      <List
        label="Table of the bins"
        query={list}
        columns={BINS}
        empty="No bin has had it yet."
        keyOf={(row) => [row.variant_id, row.warehouse, row.bin].join('/')}
      />
    </Section>
  );
}

/** The orders that took units of the product, by the ledger: the list of orders has no filter for it. */
async function lastOrders(id: string) {
  const query = { product_id: Number(id), limit: 100 };
  const { data } = await api.GET('/v1/stock/movements', { params: { query } });
  const taken = data?.data.filter(({ kind }) => kind === 'ORDER').map(({ order_id }) => order_id);
  const ids = [...new Set(taken)].slice(0, 8).join(',');
  return api.GET('/v1/orders', { params: { query: { ids, include: ['held', 'units'], ...ONLY_MODE } } });
}

function LastOrders({ product: { id } }: { product: Product }) {
  const list = useGet(['stock', 'orders', id], () => lastOrders(id));
  return (
    <Section title="Last orders" flush>
      <List
        label="Table of the last orders"
        query={list}
        columns={ORDER_COLUMNS}
        empty="No order has taken it from a bin lately."
      />
    </Section>
  );
}

function About({ product }: { product: Product }) {
  const facts = [
    ...product.specifications.map(({ name, value }) => [name, value] as const),
    ...Object.entries(product.metadata),
  ];
  return (
    <>
      {product.description && (
        <Section title="Description">
          <p class="detail">{product.description}</p>
        </Section>
      )}
      <Section title="About">
        {product.categories.map(({ id, name }) => (
          <a key={id} class="line" href={to('/products', { category: String(id) })}>
            {name}
          </a>
        ))}
        <Facts facts={facts} />
        <p class="soft line">{product.slug}</p>
      </Section>
    </>
  );
}
