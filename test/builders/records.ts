import type { BrandRecord, CategoryRecord, CustomerRecord, OrderRecord, ProductRecord } from '@app/application';
import { v7 as uuidv7 } from 'uuid';

let serial = 0;

/** An order as it is read, with defaults for all values. */
export function anOrder(values: Partial<OrderRecord> = {}): OrderRecord {
  const nowhere = { address: '', city: '', zip: '', region: '', country: '' };
  const createdAt = values.createdAt ?? new Date();
  return {
    id: uuidv7(),
    receiptNumber: `POS-R${++serial}`,
    status: 'SUCCEEDED',
    fulfillmentStatus: 'DELIVERED',
    paymentMethod: 'CASH',
    amount: 1000,
    totalAmount: 1000,
    taxAmount: 0,
    shippingAmount: 0,
    discountAmount: 0,
    currency: 'USD',
    customerName: 'Ada Lovelace',
    source: 'POS',
    createdAt,
    lines: [],
    customer: { name: 'Ada Lovelace', email: '', phone: '' },
    customerId: null,
    shippingAddress: nowhere,
    billingAddress: nowhere,
    notes: '',
    externalReference: '',
    isTest: false,
    fraud: null,
    pipeline: [],
    shipments: [],
    payments: [],
    refunds: [],
    updatedAt: createdAt,
    ...values,
  };
}

/** A product as it is read, without an id: storing it assigns one. */
export function aProduct(values: Partial<Omit<ProductRecord, 'id'>> = {}): Omit<ProductRecord, 'id'> {
  const n = ++serial;
  const createdAt = values.createdAt ?? new Date();
  return {
    name: `Product ${n}`,
    slug: `record-${n}`,
    price: 1000,
    quantity: 0,
    status: 'ACTIVE',
    sku: `R-${n}`,
    featured: false,
    description: '',
    images: [],
    variants: [],
    specifications: [],
    categories: [],
    brand: null,
    createdAt,
    updatedAt: createdAt,
    ...values,
  };
}

/** A brand as it is read, without an id: storing it assigns one. */
export function aBrand(values: Partial<Omit<BrandRecord, 'id'>> = {}): Omit<BrandRecord, 'id'> {
  const n = ++serial;
  return { name: `Brand ${n}`, slug: `record-${n}`, logo: '', description: '', ...values };
}

/** A top-level category as it is read, without an id: storing it assigns one. */
export function aCategory(values: Partial<Omit<CategoryRecord, 'id'>> = {}): Omit<CategoryRecord, 'id'> {
  const n = ++serial;
  const defaults = { name: `Category ${n}`, slug: `record-${n}`, image: '', description: '' };
  return { ...defaults, displayOrder: 0, parentId: null, ...values };
}

/** A customer as operators see one, with defaults for all values. */
export function aCustomer(values: Partial<CustomerRecord> = {}): CustomerRecord {
  return {
    id: uuidv7(),
    name: 'Ada Lovelace',
    email: '',
    phone: '',
    status: 'Active',
    emailVerified: false,
    loyaltyPoints: 0,
    totalSpent: 0,
    tags: [],
    city: '',
    createdAt: new Date(),
    lastLogin: null,
    ...values,
  };
}
