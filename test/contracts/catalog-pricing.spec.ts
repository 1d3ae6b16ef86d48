import { ADAPTERS, type PlacingPorts } from './placing.js';

describe.each(ADAPTERS)('CatalogPricing %s', (_name, open) => {
  let ports: PlacingPorts;
  beforeAll(async () => (ports = await open()));
  afterAll(() => ports.close());

  const price = (...lines: [productId: number, variantId: number | null][]) =>
    ports.pricing.price(
      ports.storeId,
      'USD',
      lines.map(([productId, variantId]) => ({ productId, variantId, quantity: 2 })),
    );

  it('prices lines in request order, including a repeated product', async () => {
    const mug = await ports.product({ name: 'Mug', price: 1099 });
    const tee = await ports.product({ name: 'Tee', price: 2000 });

    const { lines } = await price([tee, null], [mug, null], [tee, null]);

    expect(lines.map(({ name, unitPrice, quantity }) => [name, unitPrice.minor, quantity])).toEqual([
      ['Tee', 2000, 2],
      ['Mug', 1099, 2],
      ['Tee', 2000, 2],
    ]);
  });

  it('returns the price of a variant with the name of its product', async () => {
    const shoe = await ports.product({ name: 'Shoe', price: 1000 });
    const blue = await ports.variant(shoe, { price: 1250 });

    const { lines } = await price([shoe, null], [shoe, blue]);
    const [base, variant] = lines;

    expect([base?.unitPrice.minor, variant?.unitPrice.minor, variant?.name]).toEqual([1000, 1250, 'Shoe']);
  });

  it('reports unknown, inactive and foreign products alike', async () => {
    const inactive = await ports.product({ active: false });
    const foreign = await ports.foreignProduct();

    for (const id of [inactive, foreign, 1_999_999_999]) {
      expect(await price([id, null])).toEqual({ lines: [], unavailable: [{ line: 0, what: 'product', id }] });
    }
  });

  it('reports inactive variants and variants of other products alike', async () => {
    const shoe = await ports.product();
    const others = await ports.variant(await ports.product());
    const inactive = await ports.variant(shoe, { active: false });

    for (const id of [others, inactive, 1_999_999_999]) {
      expect(await price([shoe, id])).toEqual({ lines: [], unavailable: [{ line: 0, what: 'variant', id }] });
    }
  });

  it('prices the available lines and names the others, by line', async () => {
    const [mug, shoe] = [await ports.product(), await ports.product()];
    const unknown = 1_999_999_999;

    const { lines, unavailable } = await price([unknown, null], [mug, null], [shoe, unknown], [unknown, 1]);

    expect(lines.map(({ productId }) => productId)).toEqual([mug]);
    expect(unavailable).toEqual([
      { line: 0, what: 'product', id: unknown },
      { line: 2, what: 'variant', id: unknown },
      { line: 3, what: 'product', id: unknown },
    ]);
  });

  it('reports an active variant of an inactive product as an unavailable product', async () => {
    const shoe = await ports.product({ active: false });
    const blue = await ports.variant(shoe);

    expect(await price([shoe, blue])).toEqual({ lines: [], unavailable: [{ line: 0, what: 'product', id: shoe }] });
  });
});
