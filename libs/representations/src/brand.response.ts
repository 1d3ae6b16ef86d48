import type { BrandRecord } from '@app/application';
import { representation, type ValueOf } from './resource.js';
import { id, object, text } from './schema.js';

export const Brand = representation(
  'Brand',
  object({
    id: id('The brand.', 3),
    name: text('Display name.', 'Globex'),
    slug: text('Name in URLs.', 'globex'),
    logo: text('URL; `""` when there is none.', 'https://cdn.example/globex.png'),
    description: text('`""` when there is none.', 'Shoes since 1907'),
  }),
);
export type BrandResponse = ValueOf<typeof Brand>;

export function toBrandResponse(brand: BrandRecord): BrandResponse {
  return {
    id: brand.id,
    name: brand.name,
    slug: brand.slug,
    logo: brand.logo,
    description: brand.description,
  };
}
