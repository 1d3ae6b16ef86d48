import type { OrderEventRecord } from '@app/application';
import {
  MAX_LINES,
  MAX_QUANTITY,
  PlacedOrder,
  changeShipment,
  publicPaymentSettings,
  publicSettings,
  recordRefund,
  ledgerOf,
  shipOrder,
  wholeAccountAddress,
  wholeContact,
  type LineQuantity,
} from '@app/domain';
import {
  toCustomerResponse,
  toOrderEvent,
  toOrderResponse,
  toProductResponse,
  toSkuListItem,
  toStockListItem,
  toStoreResponse,
} from '@app/representations';
import { orderRecord, type OrderColumns } from '../../../libs/infrastructure/src/customers/personal-records.js';
import { orderMail } from '../../../libs/infrastructure/src/mail/order-mail.js';
import { shortStockMail } from '../../../libs/infrastructure/src/mail/short-stock-mail.js';
import { toOrderRecord, type OrderRow } from '../../../libs/infrastructure/src/orders/order.rows.js';
import { toProductRecord, type ProductRow } from '../../../libs/infrastructure/src/catalog/product.rows.js';
import { toSkuRecord } from '../../../libs/infrastructure/src/catalog/sku.rows.js';
import { aStoreProfile } from '../../builders/order-record.js';
import { NO_AMOUNTS } from '../../builders/order-state.js';

const AT = '2026-11-20T12:00:00.000Z';
/** Twice the number that an order may have: an import can bring such orders. Each shipment contains every line. */
const [SHIPMENTS, PAYMENTS] = [400, 1_000];
const PAGE = 100;

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Returns the processor time of the work in milliseconds, the best of ten runs. Other processes do not count. */
function millisecondsOf(work: () => unknown): number {
  const runs = times(10, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...runs);
}

const METADATA = Object.fromEntries(times(50, (n) => [`key_${n}`, 'x'.repeat(500)]));
/** The metadata of all lines together has at most 256 kB. */
const LINE_METADATA = Object.fromEntries(times(4, (n) => [`key_${n}`, 'x'.repeat(500)]));
const TAX = times(2, (n) => ({ name: `Tax ${n}`, rate: 10 + n, amount: 99_900 }));
const attributes = Object.fromEntries(times(10, (n) => [`Attribute ${n}`, `Value ${n}`]));
const attributeNames = Object.keys(attributes);
const TEXT = 'Ring twice. '.repeat(160);

const eachLine = (quantity: number): LineQuantity[] => times(MAX_LINES, (n) => ({ line: n + 1, quantity }));

const ORDER_ROW: OrderRow = {
  id: '652e11cd-af5e-469b-9ad6-28bda7a6431d',
  ...{ receiptNumber: 'WEB-261120-7K3M9Q', source: 'WEBSITE', paymentMethod: 'COD', currency: 'USD' },
  ...{ status: 'SUCCEEDED', fulfillmentStatus: 'PROCESSING', amount: 99_900_000, totalAmount: 99_900_000 },
  ...{
    taxAmount: 0,
    shippingAmount: 0,
    shippingTax: null,
    isTaxIncluded: false,
    cancelledAmount: 0,
    cancellationFee: null,
    discountAmount: 0,
    customerName: 'Ada',
    customerId: null,
  },
  ...{ customerEmail: 'ada@example.com', customerPhone: '', shippingAddress: {}, billingAddress: {}, notes: TEXT },
  metadata: METADATA,
  placedBy: { type: 'key', id: '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c', name: 'Shop' },
  ...{
    externalReference: 'PO-1',
    paymentTermsDays: 30,
    isTest: false,
    placed: true,
    createdAt: new Date(AT),
    updatedAt: new Date(AT),
  },
  lines: times(MAX_LINES, (n) => ({
    ...{ line: n + 1, productId: 70, variantId: 12, sku: 'R-1', name: 'Runner', attributes, attributeNames },
    ...{ unitPrice: '1000', quantity: MAX_QUANTITY, lineTotal: '999000', metadata: LINE_METADATA },
    ...{ tax: TAX, discount: '100', priceSource: TEXT.slice(0, 64), returnedQuantity: 0, cancelledQuantity: 1 },
  })),
  heldReasons: times(20, (n) => `rule_${n}`),
  fraud: { verdict: 'REVIEW', score: 200, reasons: times(20, (n) => ({ rule: `rule_${n}`, score: 10 })) },
  stages: times(SHIPMENTS, (n) => ({
    ...{ stage: 'notify-shipment', reference: `S-${n}`, state: 'done', attempts: 1, lastError: '', at: AT },
    outcome: 'sent' as const,
  })),
  shipments: times(SHIPMENTS, (n) => ({
    ...{ reference: `S-${n}`, status: 'shipped' as const, carrier: 'DHL', trackingNumber: '0034' },
    ...{ trackingUrl: 'https://tracking.example.com/0034', shippedAt: AT, deliveredAt: null, items: eachLine(2) },
    ...{ isAddressChanged: false, notify: true, requestHash: 'hash' },
  })),
  payments: times(PAYMENTS, (n) => {
    return {
      reference: `pi_${n}`,
      amount: '99900000',
      at: AT,
      writtenOff: '0',
      method: '',
      fee: '0',
      payout: '',
      metadata: {},
      requestHash: 'hash',
    };
  }),
  refunds: times(PAYMENTS, (n) => {
    const lines = [{ line: (n % MAX_LINES) + 1, quantity: 1 }];
    const what = { reason: 'goods' as const, credited: '1', lines, restock: false };
    return { reference: `re_${n}`, amount: '1', at: AT, ...what, requestHash: 'hash' };
  }),
  allocations: times(10_000, (n) => {
    return { line: (n % MAX_LINES) + 1, warehouse: 'MAIN', bin: `A-${n}`, quantity: 9, shippedQuantity: 0 };
  }),
};
const ORDER = toOrderRecord(ORDER_ROW);

const PLACED = new PlacedOrder({
  ...{ status: 'SUCCEEDED', fulfillmentStatus: 'PROCESSING', unshippedStatus: 'PENDING', currency: 'USD' },
  ...{
    ...NO_AMOUNTS,
    totalAmount: 99_900_000,
    cancelledAmount: 0,
    credits: [],
    cancellationFee: null,
    hasTakenStock: true,
  },
  ...{ paymentMethod: 'COD', externalReference: '', isPlaced: true },
  heldReasons: null,
  createdAt: ORDER.createdAt,
  ...{ metadata: METADATA, lineMetadata: [], mails: [], eventCounts: {} },
  contact: ORDER,
  lines: eachLine(MAX_QUANTITY).map((line) => ({
    ...{ ...line, productId: 70, variantId: 12, sku: 'R-1', name: 'Runner', attributes, tax: TAX, discount: 100 },
    ...{ unitPrice: 1000, returnedQuantity: 0, cancelledQuantity: 0 },
    binQuantity: line.quantity,
  })),
  ...{ shipments: ORDER.shipments, payments: ORDER.payments, refunds: ORDER.refunds },
});
const TRACKING = { carrier: '', trackingNumber: '', trackingUrl: '' };
const REFUND = {
  ...{ reference: 're', amount: 0, reason: null, credited: null, at: null, requestHash: '', notify: true },
  restockTo: null,
  lines: eachLine(1),
};

const PERSONAL_ROW: OrderColumns = {
  ...ORDER_ROW,
  allocations: [],
  catalog: times(MAX_LINES, () => ['runner', 'R-1'] as const),
  history: times(5_000, () => ({ at: AT })),
  // Two bookings for each of 100 payments and 100 refunds, 500 changes of lines, and 500 changes of units.
  bookings: times(1_400, () => ({
    ...{ at: AT, bookedAt: AT, kind: 'credit', reference: '', taxLines: null },
    ...{ charged: '0', credited: '1', paid: '0', refunded: '0' },
  })),
};

const PRODUCT_ROW: ProductRow = {
  ...{ id: 70, name: 'Runner', slug: 'runner', price: 7990, quantity: 7, status: 'ACTIVE', sku: 'R-1' },
  lowStock: 5,
  ...{ featured: false, description: TEXT, metadata: METADATA, brand: [3, 'Globex', 'globex'] as const },
  images: times(1_000, (n) => ({ url: `https://cdn.example/${n}.jpg`, alt: 'A shoe' })),
  variants: times(
    1_000,
    (n) => [n, `R-${n}`, 'Runner', '7990', attributes, attributeNames, 'ACTIVE', { erp_id: 'R' }, 3] as const,
  ),
  units: Object.fromEntries(times(1_000, (n) => [n, 7])),
  specifications: times(1_000, (n) => ({ name: `Name ${n}`, value: `Value ${n}` })),
  categories: times(1_000, (n) => [n, `Category ${n}`, `category-${n}`] as const),
  ...{ createdAt: new Date(AT), updatedAt: new Date(AT) },
};

const SKU_ROW = {
  ...{ sku: 'R-1', productId: 70, variantId: 12, productSlug: 'runner', name: 'Runner', attributes },
  ...{ attributeNames, price: 7990, quantity: 7, status: 'ACTIVE' },
  warehouses: times(100, (n) => ({ warehouse: `W-${n}`, quantity: n })),
};

const CUSTOMER = {
  ...{ id: ORDER.id, name: 'Ada', email: 'ada@example.com', phone: '', status: 'Active', emailVerified: true },
  ...{
    loyaltyPoints: 1,
    totalSpent: 1,
    city: '',
    paymentTermsDays: 30,
    createdAt: new Date(AT),
    lastLogin: new Date(AT),
  },
  ...{ company: 'Globex', vatId: 'DE811', groups: times(50, (n) => `group ${n}`), priceList: 'WHOLESALE' },
  tags: times(1_000, (n) => `tag ${n}`),
  addresses: times(50, (n) => wholeAccountAddress({ label: `Shop ${n}`, address: TEXT.slice(0, 500) })),
  contacts: times(100, (n) => wholeContact({ name: 'Grace', email: `buyer${n}@example.com` })),
  metadata: METADATA,
};

const SETTINGS = Object.fromEntries(
  times(300, (n) => [`member${n}`, { name: `field ${n}`, value: TEXT.slice(0, 40) }]),
);
const METHODS = { methods: times(100, (n) => ({ methodId: `gateway-${n}`, enabled: true })) };

const EVENT: OrderEventRecord = {
  ...{ at: new Date(AT), actor: { type: 'key', id: 'k', name: 'ERP' }, event: 'shipment_created', field: null },
  ...{ from: null, to: null, reference: 'S-1', details: { items: eachLine(9) } },
};

const SHORT = times(500, (n) => {
  return { bin_id: n, product_id: n, variant_key: 0, sku: `R-${n}`, warehouse: 'MAIN', bin: `A-${n}`, units: 1 };
});
const OPEN = times(2_500, (n) => ({ place: Math.floor(n / 5), receipt: `WEB-${n}` }));

describe('the largest record', () => {
  it.each<[string, () => unknown]>([
    ['of an order, from its row', () => toOrderRecord(ORDER_ROW)],
    ['of an order, as the API shows it', () => toOrderResponse(ORDER)],
    ['of an order, as JSON', () => JSON.stringify(toOrderResponse(ORDER))],
    ['of an order, in what is due for a refund', () => ledgerOf(ORDER)],
    ['of an order, in the mail about a shipment', () => orderMail('notify-shipment', ORDER, aStoreProfile(), 'S-7')],
    ['of an order, in the mail about its cancellation', () => orderMail('notify-cancellation', ORDER, aStoreProfile())],
    ['of an order, in the export of a person', () => JSON.stringify(orderRecord(PERSONAL_ROW))],
    [
      'of an order, in the decision about a shipment',
      () => {
        return shipOrder(PLACED, {
          ...TRACKING,
          reference: 'S',
          items: eachLine(1),
          status: 'shipped',
          shippedAt: null,
          notify: true,
          requestHash: '',
        });
      },
    ],
    [
      'of an order, in the decision about a void shipment',
      () => changeShipment(PLACED, 'S-7', { status: 'void', at: null }),
    ],
    ['of an order, in the decision about a refund', () => recordRefund(PLACED, { ...REFUND, restock: true })],
    ['of an order, on a page of its history', () => JSON.stringify(times(PAGE, () => toOrderEvent(EVENT)))],
    ['of a product', () => JSON.stringify(toProductResponse(toProductRecord(PRODUCT_ROW), 'USD'))],
    ['of SKUs on a page', () => JSON.stringify(times(PAGE, () => toSkuListItem(toSkuRecord(SKU_ROW), 'USD')))],
    [
      'of stock on a page',
      () => {
        const row = {
          binId: 5,
          sku: 'R-1',
          productId: 70,
          variantId: 12,
          warehouse: 'MAIN',
          bin: 'A-1',
          quantity: 7,
        };
        return JSON.stringify(times(PAGE, () => toStockListItem(row)));
      },
    ],
    ['of a customer', () => JSON.stringify(toCustomerResponse(CUSTOMER))],
    [
      'of a store',
      () => {
        const { contact: _, ...profile } = aStoreProfile();
        const paymentSettings = publicPaymentSettings(METHODS, () => true);
        const settings = { contact: {}, theme: publicSettings(SETTINGS), ecommerceSettings: {}, paymentSettings };
        return JSON.stringify(toStoreResponse({ ...profile, ...settings }));
      },
    ],
    ['of missing stock, in the mail to the merchant', () => shortStockMail(SHORT, OPEN)],
  ])('%s takes the event loop less than 200 ms', (_name, work) => {
    expect(millisecondsOf(work)).toBeLessThan(200);
  });
});
