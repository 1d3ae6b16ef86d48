import { allOf, api, get, useGet, useRead, type Schemas } from '../http.js';
import { COLUMNS as ORDER_COLUMNS, describe, ONLY_MODE } from '../orders/columns.js';
import { minorOf, money, plainMoney, readAmount } from '../parts/amount.js';
import { Amount, ConfirmDialog, Check, Choices, Expected, Field, type Values } from '../parts/ask.js';
import { capitalize, Choice, Facts, Filters, List, Named, pageOf, right, Table, type Columns } from '../parts/list.js';
import { Badge, LinkButton, Page, RowActions, Section } from '../parts/page.js';
import { to, useRoute, type Route } from '../route.js';
import { can, currency } from '../session.js';
import { ListPrices } from './list-prices.js';
import { Change, keyOf, type StockRow } from '../stock/stock.js';

type Product = Schemas['Product'];
type Variant = Product['variants'][number];

/** Converts the catalog's prices, which are in major units. */
const minor = (price: number): number => minorOf(price, currency());
const priceText = (price: number): string => money(minor(price), currency());

type Listed = Schemas['ProductListItem'];
const IMPORTERS = ['catalog', 'sales', 'customers'] as const;
const STATUSES = [['ACTIVE'], ['DRAFT'], ['ARCHIVED']];

const COLUMNS: Columns<Listed> = {
  Product: ({ id, name }) => <Named name={name} href={to(`/products/${id}`)} />,
  SKU: ({ sku }) => <span class="line">{sku}</span>,
  Status: ({ status }) => <Badge state={status} />,
  Available: right(({ quantity }) => <span class={quantity === 0 ? 'bad' : ''}>{quantity.toLocaleString()}</span>),
  Price: right(({ price }) => priceText(price)),
};

/** Finds products by a text in the name, or else by the whole SKU. */
async function find({ search, category, stock, status, ...route }: Route['query']) {
  const query = {
    category_id: category ? Number(category) : undefined,
    in_stock: stock ? true : undefined,
    status: status ? [status as Listed['status']] : undefined,
    include: ['sku' as const],
    ...pageOf(route),
  };
  const byName = { ...query, search };
  const found = await get('/v1/products', { query: byName });
  if (!search || found.pagination.total > 0) return { ...found, query: byName };
  const bySku = { ...query, sku: search };
  return { ...(await get('/v1/products', { query: bySku })), query: bySku };
}

const FIRST = (
  <>
    No products yet. <a href={to('/products/import')}>Import a file of products</a> to begin.
  </>
);

export function Products() {
  const route = useRoute();
  const list = useRead(['products', route.query], () => find(route.query));
  const categories = useRead(['/v1/categories'], () => allOf((query) => get('/v1/categories', { query }))).data;
  const words = categories?.data.map(({ id, name }) => [String(id), name]) ?? [];
  return (
    <Page title="Products" actions={IMPORTERS.some(can) && <LinkButton text="Import…" href={to('/products/import')} />}>
      <Filters search="Name or complete SKU" table={list.data && { path: '/v1/products', query: list.data.query }}>
        <Choice name="category" label="Category" values={words} left={categories?.left} />
        {can('catalog') && <Choice name="status" label="Status" values={STATUSES} />}
        <Check label="In stock only" name="stock" value="1" defaultChecked={!!route.query.stock} />
      </Filters>
      <List
        label="Products"
        noun="product"
        query={list}
        columns={COLUMNS}
        empty="No matching products."
        first={FIRST}
      />
    </Page>
  );
}

export function ProductPage({ id }: { id: string }) {
  const query = useGet('/v1/products/{idOrSlug}', { path: { idOrSlug: id } });
  const product = query.data?.data;
  if (!product) return <Page title={`Product ${id}`} back="Products" waits={query} />;
  const { name, status, featured, price, quantity, sku, brand, variants } = product;
  return (
    <Page
      title={name}
      back="Products"
      actions={can('catalog') && <Actions product={product} />}
      badges={[<Badge key="status" state={status} />, featured && <Badge key="it" state="featured" tone="info" />]}
      facts={[priceText(price), `${quantity.toLocaleString()} available`, sku, brand?.name]}
      about={<About product={product} />}
    >
      {variants.length > 0 && (
        <Section title="Variants">
          <Table label="Variants table" rows={variants} columns={variantColumns(product)} />
        </Section>
      )}
      <ListPrices product={product} />
      <Bins id={Number(product.id)} />
      <LastOrders id={Number(product.id)} />
    </Page>
  );
}

const variantColumns = (product: Product): Columns<Variant> => ({
  Variant: (variant) => <Named name={variant.name} small={[describe(variant)]} />,
  Status: ({ status }) => <Badge state={status} />,
  Available: right(({ quantity }) => quantity.toLocaleString()),
  Price: right(({ price }) => priceText(price)),
  Change: right((variant) => (
    <RowActions of={variant.name}>{can('catalog') && <EditPrice product={product} variant={variant} />}</RowActions>
  )),
});

const BINS: Columns<StockRow> = {
  Bin: ({ warehouse, bin }) => <span class="n">{`${warehouse}/${bin}`}</span>,
  SKU: ({ sku }) => <span class="line">{sku}</span>,
  Available: right(({ quantity }) => quantity.toLocaleString()),
  Change,
};

function Bins({ id }: { id: number }) {
  const list = useRead(['/v1/stock', id], () =>
    allOf((page) => get('/v1/stock', { query: { product_id: id, ...page } })),
  );
  return (
    <Section title="Bins">
      <List label="Bins table" query={list} columns={BINS} empty="No bins have held this product." keyOf={keyOf} />
    </Section>
  );
}

/** Finds the orders that took units of the product in the ledger, because the list of orders has no filter for it. */
async function lastOrders(product_id: number) {
  const { data } = await get('/v1/stock/movements', { query: { product_id, limit: 100 } });
  const taken = data.filter(({ kind }) => kind === 'ORDER').map(({ order_id }) => order_id);
  const ids = [...new Set(taken)].slice(0, 8).join(',');
  return get('/v1/orders', { query: { ids, include: ['held', 'units'], ...ONLY_MODE } });
}

function LastOrders({ id }: { id: number }) {
  const list = useRead(['stock', 'orders', id], () => lastOrders(id));
  const empty = 'No recent orders.';
  const history = <a href={to('/stock/movements', { product_id: String(id) })}>All movements</a>;
  return (
    <Section title="Last orders" actions={history}>
      <List label="Last orders table" query={list} columns={ORDER_COLUMNS} empty={empty} />
    </Section>
  );
}

function About({ product: { description, categories, specifications, metadata, slug } }: { product: Product }) {
  const specified = specifications.map(({ name, value }) => [name, value] as const);
  return (
    <>
      {description && (
        <Section title="Description">
          <p class="soft">{description}</p>
        </Section>
      )}
      <Section title="About">
        {categories.map(({ id, name }) => (
          <a key={id} class="line" href={to('/products', { category: String(id) })}>
            {name}
          </a>
        ))}
        <Facts facts={[...specified, ...Object.entries(metadata)]} />
        <p class="soft line">{slug}</p>
      </Section>
    </>
  );
}

type ProductValues = Values<'name' | 'description' | 'status' | 'featured'>;

/** Returns the fields that differ, in the form of an import line: the others are not changed. */
function changesOf({ name, description, ...values }: ProductValues, product: Product) {
  const status = values.status.toUpperCase() as Product['status'];
  const given = { name, description, status, featured: !!values.featured };
  const before = { ...product, description: product.description.trim() };
  const differs = ([field, value]: [string, unknown]) => value !== before[field as keyof typeof given];
  return Object.fromEntries(Object.entries(given).filter(differs));
}

function Actions({ product }: { product: Product }) {
  const { slug, name, description, status, featured } = product;
  const send = async (values: ProductValues) => {
    const lines = [{ kind: 'product' as const, slug, ...changesOf(values, product) }];
    const { data } = await api.POST('/v1/import', { body: { atomic: true, lines } });
    return data?.data.lines[0]?.warning || 'Product saved.';
  };
  return (
    <>
      <ConfirmDialog label="Edit…" title="Edit product" submitLabel="Save" tone="primary" send={send}>
        <Field label="Name" name="name" required autoFocus defaultValue={name} />
        <Field label="Description" name="description" rows={5} defaultValue={description} />
        <Choices label="Status" name="status" begin={capitalize(status)} of={{ Active: 1, Draft: 2, Archived: 3 }} />
        <Check label="Featured" name="featured" defaultChecked={featured} />
      </ConfirmDialog>
      <EditPrice product={product} />
    </>
  );
}

function EditPrice({ product, variant }: { product: Product; variant?: Variant }) {
  const { name, price: now } = variant ?? product;
  const send = async ({ amount, expected }: Values<'amount' | 'expected'>) => {
    const given = readAmount(amount, currency());
    const price = plainMoney(given, currency());
    const of = { product_id: Number(product.id), variant_id: variant ? Number(variant.id) : null };
    await api.POST('/v1/prices', { body: { atomic: true, lines: [{ ...of, price, expected }] } });
    return `Price of ${name} set to ${money(given, currency())}.`;
  };
  return (
    <ConfirmDialog label="Set price…" title={`Set the price of ${name}`} submitLabel="Set price" send={send}>
      <Expected value={plainMoney(minor(now), currency())} noun="price" say={(price) => priceText(Number(price))} />
      <Amount label="Price" minor={minor(now)} currency={currency()} />
    </ConfirmDialog>
  );
}
