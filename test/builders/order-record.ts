import type { OrderRecord, StoreProfile } from '@app/application';
import { wholeAddress } from '@app/domain';
import { v7 as uuidv7 } from 'uuid';

export function anOrderRecord(values: Partial<OrderRecord> = {}): OrderRecord {
  const address = wholeAddress({ address: '1 Main Street', city: 'Springfield', zip: '12345' });
  const customer = values.customer ?? { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+1 555 0100' };
  return {
    id: uuidv7(),
    receiptNumber: 'WEB-261120-7K3M9Q',
    status: 'PENDING',
    fulfillmentStatus: 'PENDING',
    paymentMethod: 'COD',
    amount: 3998,
    totalAmount: 3998,
    taxAmount: 0,
    shippingAmount: 0,
    shippingTax: [],
    isTaxIncluded: false,
    discountAmount: 0,
    cancelledAmount: 0,
    cancellationFee: null,
    paymentTermsDays: null,
    heldReasons: null,
    currency: 'USD',
    customerName: customer.name,
    source: 'WEBSITE',
    createdAt: new Date('2026-11-20T12:34:56.000Z'),
    lines: [
      {
        productId: 1,
        variantId: 2,
        sku: 'R-1-42',
        name: 'Runner',
        attributes: { Size: '42', Color: 'Blue' },
        unitPrice: 1999,
        quantity: 2,
        lineTotal: 3998,
        tax: [],
        discount: 0,
        priceSource: null,
        metadata: {},
        line: 1,
        shippedQuantity: 0,
        returnedQuantity: 0,
        cancelledQuantity: 0,
        allocations: [],
      },
    ],
    customer,
    customerId: null,
    shippingAddress: address,
    billingAddress: { name: '', ...address },
    notes: '',
    metadata: {},
    externalReference: '',
    isTest: false,
    placedBy: { type: 'key', id: '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c', name: 'Shop' },
    fraud: { verdict: 'ACCEPT', score: 0, reasons: [] },
    pipeline: [],
    shipments: [],
    payments: [],
    refunds: [],
    updatedAt: new Date('2026-11-20T12:34:56.000Z'),
    ...values,
  };
}

export function aStoreProfile(values: Partial<StoreProfile> = {}): StoreProfile {
  return {
    id: 1,
    subdomain: 'acme',
    name: 'Acme',
    currency: 'USD',
    status: 'ACTIVE',
    createdAt: new Date('2026-01-02T03:04:05.000Z'),
    timeZone: 'UTC',
    customDomain: 'shop.acme.test',
    logoUrl: 'https://cdn.acme.test/logo.png',
    primaryColor: '#112233',
    seoTitle: '',
    contact: { email: 'hello@acme.test', phone: '+1 555 0199', address: '2 Side Street\nSpringfield' },
    theme: {},
    paymentSettings: {},
    methodsWithCredentials: [],
    ecommerceSettings: {},
    ...values,
  };
}
