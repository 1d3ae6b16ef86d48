import {
  ProductRepository,
  type Page,
  type PageOf,
  type ProductFilter,
  type ProductRecord,
  type ProductSummary,
} from '@app/application';
import { Injectable } from '@nestjs/common';
import { Conditions, containing } from '../conditions.js';
import { Database } from '../database.js';
import { availableUnits, availableUnitsOfVariant } from '../inventory/available-stock.js';
import { matchesNothing, NO_ROWS, readPage } from '../paging.js';
import { toProductRecord, toProductSummary, type ProductRecordRow, type ProductRow } from './product.rows.js';

const COLUMNS = 'product.id, product.name, product.slug, product.price, product.status, product.created_at';

/** What a summary has beyond the row of that alias. `$1` is the id of the store. */
const computed = (product: string) =>
  `${availableUnits(product)} AS quantity, (SELECT currency FROM stores WHERE stores.id = $1) AS currency`;

// The parts of a product are gathered where they lie: joins would multiply variants by categories. Prices travel as
// text, since JSON numbers are not exact.
const FIND = `
  SELECT ${COLUMNS}, ${computed('product')}, product.sku, product.featured, product.description, product.images, product.specifications,
    product.updated_at,
    (SELECT coalesce(json_agg(json_build_object('id', variant.id, 'sku', variant.sku, 'name', variant.name,
        'price', variant.price::text, 'attributes', variant.attributes, 'status', variant.status,
        'quantity', ${availableUnitsOfVariant('variant')}) ORDER BY variant.position, variant.id), '[]')
      FROM product_variants variant
      WHERE variant.store_id = product.store_id AND variant.product_id = product.id) AS variants,
    (SELECT coalesce(json_agg(json_build_object('id', category.id, 'name', category.name, 'slug', category.slug)
        ORDER BY category.display_order, category.name, category.id), '[]')
      FROM product_categories link
      JOIN categories category ON category.store_id = link.store_id AND category.id = link.category_id
      WHERE link.store_id = product.store_id AND link.product_id = product.id) AS categories,
    (SELECT json_build_object('id', brand.id, 'name', brand.name, 'slug', brand.slug)
      FROM brands brand WHERE brand.store_id = product.store_id AND brand.id = product.brand_id) AS brand
  FROM products product`;

@Injectable()
export class PostgresProductRepository extends ProductRepository {
  constructor(private readonly database: Database) {
    super();
  }

  override async list(storeId: number, filter: ProductFilter, page: Page): Promise<PageOf<ProductSummary>> {
    if (matchesNothing(filter)) return NO_ROWS;
    const { categoryId, search, featured, inStock } = filter;
    const where = new Conditions(`product.store_id = ? AND product.status = 'ACTIVE'`, storeId);
    if (search !== undefined) where.and('product.name ILIKE ?', containing(search));
    if (featured) where.and('product.featured');
    if (inStock) where.and(`${availableUnits('product')} > 0`);
    if (categoryId !== undefined) {
      where.and(
        `EXISTS (SELECT FROM product_categories link WHERE link.store_id = product.store_id
           AND link.product_id = product.id AND link.category_id = ?)`,
        categoryId,
      );
    }

    const { rows, total } = await readPage<ProductRow>(
      this.database,
      {
        select: COLUMNS,
        selectOnPage: computed('page'),
        from: 'products product',
        where,
        orderBy: 'created_at DESC, id DESC',
      },
      page,
    );
    return { rows: rows.map(toProductSummary), total };
  }

  override findById(storeId: number, id: number): Promise<ProductRecord | null> {
    return this.find('product.id = $2', storeId, id);
  }

  override findBySlug(storeId: number, slug: string): Promise<ProductRecord | null> {
    return this.find('product.slug = $2', storeId, slug);
  }

  private async find(condition: string, storeId: number, reference: unknown): Promise<ProductRecord | null> {
    const [row] = await this.database.query<ProductRecordRow>(
      `${FIND} WHERE product.store_id = $1 AND product.status = 'ACTIVE' AND ${condition}`,
      [storeId, reference],
    );
    return row ? toProductRecord(row) : null;
  }
}
