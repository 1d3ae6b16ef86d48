import type { BrandLine, BundleVariant, CategoryLine, ProductLine } from './bundle.js';
import { Fault, quoted } from './faults.js';
import {
  flag,
  integer,
  list,
  name,
  object,
  oneOf,
  optional,
  orNull,
  plainObject,
  required,
  text,
  timestamp,
  type Field,
} from './fields.js';
import { INT4_MAX, kind, price, sku, slug, subdomain } from './vocabulary.js';

export const brandLine = object<BrandLine>({
  kind: kind('brand'),
  store: required(subdomain),
  slug: required(slug),
  name: required(name(500)),
  logo: optional(text(2_048)),
  description: optional(text(100_000)),
  active: optional(flag),
});

export const categoryLine = object<CategoryLine>({
  kind: kind('category'),
  store: required(subdomain),
  slug: required(slug),
  name: required(name(500)),
  image: optional(text(2_048)),
  description: optional(text(100_000)),
  order: optional(integer(-INT4_MAX, INT4_MAX)),
  parent: optional(orNull(slug)),
  active: optional(flag),
});

const attributes: Field<Readonly<Record<string, string>>> = (value, path) => {
  const read = Object.entries(plainObject(value, path)).map(([key, member]) => [
    name(200)(key, path),
    text(1_000)(member, `${path}.${key}`),
  ]);
  return Object.fromEntries(read) as Record<string, string>;
};

const variant = object<BundleVariant>({
  sku: required(sku),
  name: required(name(500)),
  price: optional(price),
  attributes: optional(attributes),
  status: optional(oneOf(['ACTIVE', 'INACTIVE', 'DRAFT', 'ARCHIVED'])),
});

export const productLine = object<ProductLine>({
  kind: kind('product'),
  store: required(subdomain),
  slug: required(slug),
  sku: optional(text(200)),
  name: required(name(500)),
  price: required(price),
  status: optional(oneOf(['ACTIVE', 'DRAFT', 'ARCHIVED'])),
  featured: optional(flag),
  description: optional(text(100_000)),
  brand: optional(orNull(slug)),
  categories: optional(list(slug)),
  images: optional(list(object({ url: required(name(2_048)), alt: optional(text(1_000)) }))),
  specifications: optional(list(object({ name: required(name(500)), value: required(text(10_000)) }))),
  variants: optional(differentSkus(list(variant))),
  created_at: optional(timestamp),
});

function differentSkus(read: Field<readonly BundleVariant[]>): Field<readonly BundleVariant[]> {
  return (value, path) => {
    const variants = read(value, path);
    const seen = new Set<string>();
    variants.forEach((each, index) => {
      if (seen.has(each.sku)) throw new Fault(`${path}[${index}].sku`, `${quoted(each.sku)} is there twice`);
      seen.add(each.sku);
    });
    return variants;
  };
}
