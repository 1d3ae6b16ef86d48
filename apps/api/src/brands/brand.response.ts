import type { BrandRecord } from '@app/application';

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
