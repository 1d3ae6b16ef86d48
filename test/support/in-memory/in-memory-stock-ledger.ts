import { StockLedger, type StockDifference, type StockPlace, type StockVerification } from '@app/application';
import { NotFound } from '@app/domain';

/** The products and bins of a store by natural keys. */
export interface StockedStore {
  readonly id: number;
  readonly subdomain: string;
  /** SKUs of the variants, by slug of the product. */
  readonly products: Readonly<Record<string, readonly string[]>>;
  /** Codes of the bins, by code of the warehouse. */
  readonly warehouses: Readonly<Record<string, readonly string[]>>;
}

interface Entry extends StockPlace {
  readonly store: StockedStore;
  quantity: number;
  readonly movements: { readonly kind: 'OPENING' | 'ADJUSTMENT'; readonly quantity: number }[];
}

export class InMemoryStockLedger extends StockLedger {
  private readonly entries: Entry[] = [];

  constructor(private readonly stores: readonly StockedStore[]) {
    super();
  }

  override setQuantity(storeId: number, place: StockPlace, quantity: number): Promise<number | null> {
    const store = this.stores.find(({ id }) => id === storeId);
    const unknown = unknownIn(store, place);
    if (!store || unknown) return Promise.reject(new NotFound(unknown ?? 'Store'));
    const found = this.find(storeId, place);
    const entry = found ?? { ...place, store, quantity: 0, movements: [] };
    const difference = quantity - entry.quantity;
    if (difference !== 0) entry.movements.push({ kind: found ? 'ADJUSTMENT' : 'OPENING', quantity: difference });
    if (!found) this.entries.push(entry);
    const previous = found ? found.quantity : null;
    entry.quantity = quantity;
    return Promise.resolve(previous);
  }

  override verify(storeId: number | null): Promise<StockVerification> {
    const compared = this.entries.filter(({ store }) => storeId === null || store.id === storeId);
    const differences = compared.map(toDifference).filter(({ quantity, ledger }) => quantity !== ledger);
    return Promise.resolve({ checked: compared.length, differences });
  }

  movements(storeId: number, place: StockPlace): string[] {
    return this.find(storeId, place)?.movements.map(({ kind, quantity }) => `${kind} ${quantity}`) ?? [];
  }

  /** Changes a quantity without a movement. */
  corrupt(storeId: number, place: StockPlace, quantity: number): void {
    const entry = this.find(storeId, place);
    if (entry) entry.quantity = quantity;
  }

  private find(storeId: number, { product, variant, bin }: StockPlace): Entry | undefined {
    return this.entries.find(
      (entry) =>
        entry.store.id === storeId && entry.product === product && entry.variant === variant && entry.bin === bin,
    );
  }
}

function toDifference({ store, product, variant, bin, quantity, movements }: Entry): StockDifference {
  const ledger = movements.reduce((sum, movement) => sum + movement.quantity, 0);
  return { store: store.subdomain, product, variant, bin, quantity, ledger };
}

/** The first name of the place that the store does not have. */
function unknownIn(store: StockedStore | undefined, { product, variant, bin }: StockPlace): string | null {
  const [warehouse = '', binCode = ''] = bin.split('/');
  const variants = store?.products[product];
  if (!variants) return `Product ${product}`;
  if (variant !== null && !variants.includes(variant)) return `Variant ${variant} of product ${product}`;
  const bins = store?.warehouses[warehouse];
  if (!bins) return `Warehouse ${warehouse}`;
  return bins.includes(binCode) ? null : `Bin ${bin}`;
}
