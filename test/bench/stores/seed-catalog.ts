import { inChunks, type Seeding } from './seeding.js';

const ADJECTIVES = 'Quiet,Bright,Sturdy,Light,Warm,Classic,Modern,Folding,Woven,Royal,Rustic,Compact'.split(',');
const NOUNS = 'Lamp,Chair,Mug,Runner,Jacket,Kettle,Blanket,Desk,Bottle,Basket,Vase,Clock,Rug,Shelf,Bowl'.split(',');
export const VARIANTS = 2;
/** An extra product, next to the numbered ones, that every buyer wants. */
export const HOT_SLUG = 'hot-product';

export async function seedCatalog(seeding: Seeding): Promise<void> {
  await seedBrandsAndCategories(seeding);
  await seedProducts(seeding);
  await seedVariants(seeding);
  await seedProductCategories(seeding);
}

/** The last category is the large one. A tenth of the others are roots, the rest lie below them. */
async function seedBrandsAndCategories({ sql, storeId, sizes, bases }: Seeding): Promise<void> {
  await sql.query(
    `INSERT INTO brands (store_id, id, slug, name, logo, description)
     SELECT ${storeId}, ${bases.brands} + n, 'brand-' || n, 'Brand ' || n, 'https://cdn.example.com/brands/' || n || '.png',
       'What brand ' || n || ' makes'
     FROM generate_series(1, $1::int) AS n`,
    [sizes.brands],
  );
  const roots = Math.ceil(sizes.categories / 10);
  await sql.query(
    `INSERT INTO categories (store_id, id, slug, name, image, description, display_order, parent_id)
     SELECT ${storeId}, ${bases.categories} + n, 'category-' || n, 'Category ' || n,
       'https://cdn.example.com/categories/' || n || '.jpg', 'Everything of category ' || n, n % 20,
       CASE WHEN n > ${roots} THEN ${bases.categories} + 1 + n % ${roots} END
     FROM generate_series(1, $1::int) AS n`,
    [sizes.categories + 1],
  );
}

async function seedProducts({ sql, storeId, sizes, draws, bases }: Seeding): Promise<void> {
  const columns = `store_id, id, slug, sku, name, price, status, featured, description, brand_id, images, specifications,
    created_at`;
  await inChunks(
    sql,
    sizes.products,
    `INSERT INTO products (${columns})
     SELECT ${storeId}, ${bases.products} + n, 'product-' || n, 'SKU-' || lpad(n::text, 6, '0'),
       ${draws.oneOf(ADJECTIVES, 'n', 'adjective')} || ' ' || ${draws.oneOf(NOUNS, 'n', 'noun')} || ' ' || n,
       500 + ${draws.below(15_000, 'n', 'price')},
       ${draws.weighted({ ACTIVE: 90, DRAFT: 5, ARCHIVED: 5 }, 'n', 'product status')},
       ${draws.below(10, 'n', 'featured')} = 0,
       repeat('Made to last and easy to care for. ', 3 + (n % 5)::int),
       ${bases.brands} + 1 + ${draws.below(sizes.brands, 'n', 'brand')},
       (SELECT jsonb_agg(jsonb_build_object('url', 'https://cdn.example.com/p/' || n || '-' || i || '.jpg', 'alt', 'View ' || i))
        FROM generate_series(1, 2 + n % 3) AS i),
       (SELECT jsonb_agg(jsonb_build_object('name', 'Property ' || i, 'value', (n % 97 * i) || ' mm'))
        FROM generate_series(1, 3 + n % 4) AS i),
       at
     FROM generate_series($1::bigint, $2::bigint) AS n,
       LATERAL (SELECT date_trunc('hour', now()) - interval '700 days' * (1 - n / ${sizes.products}::float8)) AS made (at)`,
  );
  await sql.query(
    `INSERT INTO products (${columns})
     VALUES (${storeId}, $1, '${HOT_SLUG}', 'HOT', 'Hot product', 2500, 'ACTIVE', true, 'Everybody wants it', NULL,
       '[]', '[]', now() - interval '701 days')`,
    [bases.products + sizes.products + 1],
  );
}

async function seedVariants({ sql, storeId, sizes, bases }: Seeding): Promise<void> {
  await inChunks(
    sql,
    sizes.products,
    `INSERT INTO product_variants (store_id, id, product_id, sku, name, price, attributes, status, position)
     SELECT ${storeId}, ${bases.product_variants} + (n - 1) * ${VARIANTS} + v, product.id, product.sku || '-' || v,
       'Size ' || v, product.price + v * 100, jsonb_build_object('Size', v::text, 'Color', 'Blue'), 'ACTIVE', v
     FROM generate_series($1::bigint, $2::bigint) AS n
     JOIN products product ON product.store_id = ${storeId} AND product.id = ${bases.products} + n,
       generate_series(1, ${VARIANTS}) AS v`,
  );
}

async function seedProductCategories({ sql, storeId, sizes, draws, bases }: Seeding): Promise<void> {
  const big = bases.categories + sizes.categories + 1;
  await inChunks(
    sql,
    sizes.products,
    `INSERT INTO product_categories (store_id, product_id, category_id)
     SELECT DISTINCT ${storeId}, ${bases.products} + n,
       ${bases.categories} + 1 + ${draws.below(sizes.categories, 'n * 4 + i', 'category')}
     FROM generate_series($1::bigint, $2::bigint) AS n, generate_series(0, n % 3) AS i
     UNION ALL
     SELECT ${storeId}, ${bases.products} + n, ${big} FROM generate_series($1::bigint, $2::bigint) AS n WHERE n % 5 = 0`,
  );
}
