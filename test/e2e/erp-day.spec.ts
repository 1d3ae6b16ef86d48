import { anOrderBody } from '../builders/order-body.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Order {
  readonly status: string;
  readonly fulfillment_status: string;
  readonly amount_owed: number;
  readonly amount_paid: number;
  readonly refund_due: number;
  readonly line_items: readonly { readonly shipped_quantity: number; readonly cancelled_quantity: number }[];
}

describe('the day of an ERP', () => {
  let api: RunningApi;
  let product: number;
  beforeAll(async () => {
    api = await startApi();
    product = await api.store.product({ price: 1_000 });
    await post('/v1/stock', {
      create_bins: true,
      lines: [
        { product_id: product, warehouse: 'MAIN', bin: 'A-1', adjust: 5 },
        { product_id: product, warehouse: 'MAIN', bin: 'RETURNS', adjust: 1 },
      ],
    });
    await post('/v1/stock', { lines: [{ product_id: product, warehouse: 'MAIN', bin: 'RETURNS', adjust: -1 }] });
  });
  afterAll(() => api.stop());

  const post = async <Data>(path: string, body: object): Promise<Data> => {
    const response = await api.post(path, body);
    expect([response.body, [200, 201].includes(response.statusCode)]).toEqual([response.body, true]);
    return response.json<{ data: Data }>().data;
  };
  const stock = async () => {
    const { data } = (await api.get(`/v1/stock?product_id=${product}`)).json<{
      data: { bin: string; quantity: number }[];
    }>();
    return Object.fromEntries(data.map(({ bin, quantity }) => [bin, quantity]));
  };

  it('ends exact: short, invoiced by the parcel, paid in two parts with a cash discount, and returned to another bin', async () => {
    const placed = await post<{ order_id: string }>('/v1/orders', {
      ...anOrderBody(product),
      items: [{ product_id: product, quantity: 3 }],
    });
    const order = `/v1/orders/${placed.order_id}`;
    const parcel = { reference: 'PARCEL-1', items: [{ line: 1, quantity: 2 }] };
    await post(`${order}/shipments`, { ...parcel, status: 'picking' });

    // The third unit is not on the shelf. At night, two units lie in the packing zone and two in the bin.
    await post(`${order}/cancel`, { items: [{ line: 1, quantity: 1 }], restock: false, reason: 'Not on the shelf' });
    const { cursor } = (await api.get('/v1/changes?cursor=now')).json<{ cursor: string }>();
    const count = { product_id: product, warehouse: 'MAIN', bin: 'A-1', counted: 2, as_of: cursor, basis: 'in_bin' };
    await post('/v1/stock', { lines: [count] });
    expect(await stock()).toMatchObject({ 'A-1': 2, RETURNS: 0 });

    const shipped = await post<Order>(`${order}/shipments`, parcel);
    expect(shipped).toMatchObject({ fulfillment_status: 'SHIPPED', amount_owed: 2_000 });

    await post(`${order}/payments`, { reference: 'BANK-1', amount: 800, currency: 'USD', partial: true });
    const paid = await post<Order>(`${order}/payments`, {
      ...{ reference: 'BANK-2', amount: 1_150, currency: 'USD', settles: true },
    });
    expect(paid).toMatchObject({ status: 'SUCCEEDED', amount_owed: 1_950, amount_paid: 1_950, refund_due: 0 });

    const restock_to = { warehouse: 'MAIN', bin: 'RETURNS' };
    const lines = [{ line: 1, quantity: 1 }];
    await post(`${order}/refunds`, {
      ...{ reference: 'RETURN-1', amount: 950, credited: 950, lines, restock: true, restock_to },
    });

    const { data } = (await api.get(order)).json<{ data: Order }>();
    expect(data).toMatchObject({ line_items: [{ shipped_quantity: 2, cancelled_quantity: 1 }], refund_due: 0 });
    expect(await stock()).toMatchObject({ 'A-1': 2, RETURNS: 1 });
  });

  it('ends where the warehouse finds too little: one unit ships, one is given up, one is ordered again', async () => {
    const three = { ...anOrderBody(product), items: [{ product_id: product, quantity: 3 }] };
    await post('/v1/stock', {
      lines: [{ product_id: product, warehouse: 'MAIN', bin: 'A-1', adjust: 3 }],
    });
    const placed = await post<{ order_id: string; receipt_number: string }>('/v1/orders', three);
    const order = `/v1/orders/${placed.order_id}`;
    const before = await stock();

    await post(`${order}/shipments`, { reference: 'PARCEL-1', items: [{ line: 1, quantity: 1 }] });
    await post(`${order}/cancel`, { items: [{ line: 1, quantity: 1 }], restock: false, reason: 'Not on the shelf' });
    const ended = await post<Order>(`${order}/cancel`, { items: [{ line: 1, quantity: 1 }], reason: 'Ordered again' });
    expect(ended).toMatchObject({
      fulfillment_status: 'SHIPPED',
      amount_owed: 1_000,
      line_items: [{ shipped_quantity: 1, cancelled_quantity: 2 }],
    });
    const one = { ...three, items: [{ product_id: product, quantity: 1 }] };
    const backorder = await post<{ order_id: string }>('/v1/orders', {
      ...one,
      metadata: { backorder_of: placed.receipt_number },
    });

    const found = await api.get(`/v1/orders?metadata[backorder_of]=${placed.receipt_number}`);
    expect(found.json()).toMatchObject({ data: [{ id: backorder.order_id }], pagination: { total: 1 } });
    // The unit that went back is in the new order.
    expect(await stock()).toEqual(before);
  });
});
