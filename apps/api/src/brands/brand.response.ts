import type { BrandRecord } from '@app/application';
import { id, object, text } from '../openapi/schema.js';

export type BrandResponse = ReturnType<typeof toBrandResponse>;

export function toBrandResponse(brand: BrandRecord) {
  return {
    id: brand.id,
    name: brand.name,
    slug: brand.slug,
    logo: brand.logo,
    description: brand.description,
  };
}

export const BRAND = object<BrandResponse>({
  id: id('The brand.'),
  name: text('Display name.', 'Globex'),
  slug: text('Name in URLs.', 'globex'),
  logo: text('URL; `""` when there is none.', 'https://cdn.example/globex.png'),
  description: text('`""` when there is none.', 'Shoes since 1907'),
});
