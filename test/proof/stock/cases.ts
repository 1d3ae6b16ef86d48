import type { Clients, ClientsOptions } from './clients.js';
import type { Bin } from './shelves.js';

/**
 * Tries the two ways in which stock used to be lost, and a point of sale that sells more than there is, while nothing
 * else happens.
 * @returns a text for each that is possible, or wrong.
 */
export async function caseViolations(clients: Clients, options: ClientsOptions): Promise<string[]> {
  const { bins } = options.shelves;
  const [double, single] = [bins.filter(isOneOfTwo), bins.filter((bin) => !isOneOfTwo(bin, 0, bins))];
  const first = double.filter(({ productId }) => productId === double[0]?.productId);
  return [
    ...(await aCountContainsSoldUnits(clients, options, first)),
    ...(await aQuantityOfAnOldReading(clients, options, single[0] as Bin)),
    ...(await aTillSellsMoreThanThereIs(clients, options, single[1] as Bin)),
  ];
}

async function aCountContainsSoldUnits(
  clients: Clients,
  { counter, desk }: ClientsOptions,
  bins: readonly Bin[],
): Promise<string[]> {
  const [product, units] = [bins[0]?.productId ?? 0, bins.reduce((sum, { opening }) => sum + opening, 0)];
  if (!(await clients.buy([{ product_id: product, quantity: units }]))) throw new Error('The shelves are not full');
  const place = await counter.read();
  const lines = bins.map((bin) => {
    const write = { counted: bin.opening, as_of: place.cursor, basis: 'on_hand' };
    return { bin, units: null, place, write };
  });
  await desk.post(lines, []);
  return (await clients.buy([{ product_id: product, quantity: 1 }]))
    ? ['a count on hand that contains sold units puts them on sale']
    : [];
}

async function aQuantityOfAnOldReading(clients: Clients, { desk }: ClientsOptions, bin: Bin): Promise<string[]> {
  const expected = await clients.readBin(bin);
  await clients.buy([{ product_id: bin.productId, quantity: 1 }]);
  const write = { set: expected + 10, expected };
  await desk.post([{ bin, units: 10, place: null, write }], ['stale']);
  const left = await clients.readBin(bin);
  return left === expected - 1 ? [] : [`a quantity of an old reading overwrites a sale: the bin holds ${left}`];
}

async function aTillSellsMoreThanThereIs(clients: Clients, { till }: ClientsOptions, bin: Bin): Promise<string[]> {
  const { productId, opening } = bin;
  const taken = await till.sell([opening - 1, 3].map((quantity) => ({ productId, quantity })));
  const left = await clients.readBin(bin);
  return taken === opening && left === 0
    ? []
    : [`a till that sells more than ${opening} units takes ${taken}, leaves ${left}`];
}

function isOneOfTwo({ code, productId }: Bin, _index: number, bins: readonly Bin[]): boolean {
  return bins.some((other) => other.productId === productId && other.code !== code);
}
