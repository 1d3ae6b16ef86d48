import { useState } from 'preact/hooks';
import { api, type Schemas } from '../http.js';
import { Amount, Ask, Check, Choices, Field, textIn } from '../parts/ask.js';
import { capital } from '../parts/list.js';
import { minorOf, money, plainMoney } from '../parts/text.js';
import { currency } from '../session.js';

export type Product = Schemas['Product'];
export const STATUSES = ['ACTIVE', 'DRAFT', 'ARCHIVED'] as const;

/** The catalog has prices in major units. */
const minor = (price: number): number => minorOf(String(price), currency());
export const priceText = (price: number): string => money(minor(price), currency());

interface EditPriceProps {
  readonly product: Product;
  /** The product itself where absent. */
  readonly variant?: Product['variants'][number];
}

export function EditPrice({ product, variant }: EditPriceProps) {
  const unit = variant ?? product;
  const send = async (form: FormData) => {
    const line = {
      product_id: Number(product.id),
      variant_id: variant ? Number(variant.id) : null,
      price: textIn(form, 'price'),
      expected: textIn(form, 'expected'),
    };
    await api.POST('/v1/prices', { body: { atomic: true, lines: [line] } });
    return `${unit.name} costs ${priceText(Number(line.price))}.`;
  };
  return (
    <Ask label="Price…" title={`Change the price of ${unit.name}`} verb="Change" send={send}>
      <Expected price={plainMoney(minor(unit.price), currency())} />
      <Amount label="Price" name="price" minor={minor(unit.price)} currency={currency()} />
    </Ask>
  );
}

/** The price that the person saw, also when another one comes in while the dialog is open. */
function Expected({ price }: { price: string }) {
  const [seen] = useState(price);
  return <input type="hidden" name="expected" value={seen} />;
}

/** The fields that differ, as an import line has them: the others stay as they are. */
function changesOf(form: FormData, product: Product) {
  const { name, description, status, featured } = product;
  const given = {
    name: textIn(form, 'name'),
    description: textIn(form, 'description'),
    status: textIn(form, 'status').toUpperCase() as Product['status'],
    featured: form.has('featured'),
  };
  const before = { name, description: description.trim(), status, featured };
  const differs = ([field, value]: [string, unknown]) => value !== before[field as keyof typeof before];
  return Object.fromEntries(Object.entries(given).filter(differs));
}

export const EditProduct = ({ product }: { product: Product }) => (
  <Ask
    label="Edit…"
    title="Edit the product"
    verb="Save"
    tone="primary"
    send={async (form) => {
      const lines = [{ kind: 'product' as const, slug: product.slug, ...changesOf(form, product) }];
      const { data } = await api.POST('/v1/import', { body: { atomic: true, lines } });
      return data?.data.lines[0]?.warning || 'The product is saved.';
    }}
  >
    <Field label="Name" name="name" required autoFocus defaultValue={product.name} />
    <label class="field">
      <span>Description</span>
      <textarea name="description" rows={5} defaultValue={product.description} />
    </label>
    <Choices label="Status" name="status" begin={capital(product.status)} of={{ Active: 1, Draft: 2, Archived: 3 }} />
    <Check label="Featured" name="featured" defaultChecked={product.featured} />
  </Ask>
);
