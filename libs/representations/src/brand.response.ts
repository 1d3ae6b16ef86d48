import type { BrandRecord } from '@app/application';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const Brand = representation(
  'Brand',
  is.object({
    id: is.id('The brand.', 3),
    name: is.text('Display name.', 'Globex'),
    slug: is.text('Name in URLs.', 'globex'),
    logo: is.text('URL; `""` when there is none.', 'https://cdn.example/globex.png'),
    description: is.text('`""` when there is none.', 'Shoes since 1907'),
  }),
);

export function toBrandResponse({ id, name, slug, logo, description }: BrandRecord): ValueOf<typeof Brand> {
  return { id, name, slug, logo, description };
}
