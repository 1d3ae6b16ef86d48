import {
  ANALYSIS_UNAVAILABLE,
  changeContact,
  changedParts,
  correctedContact,
  wholeAddress,
  type ContactPatch,
  type PlacedOrderState,
} from '@app/domain';
import { ALL, anOrder, aShipment, CONTACT, statesOf, thrown, units, effectsOf } from '../../builders/order-state.js';

describe('a corrected contact', () => {
  const ACCEPT = { verdict: 'ACCEPT', score: 0, reasons: [] } as const;
  const REJECT = { verdict: 'REJECT', score: 100, reasons: [{ rule: 'blocked_phone', score: 100 }] } as const;
  const PATCH = { customer: { phone: '2' }, shippingAddress: { city: 'Bonn', zip: '53111' } };
  const contact = correctedContact(CONTACT, PATCH);
  const picking = { shipments: [aShipment({ status: 'picking' as const })] };
  const before = 'REVIEW' as const;

  it.each<[ContactPatch, string[]]>([
    [{ customer: { name: 'Eve' }, shippingAddress: {} }, []],
    [{ customer: { email: '', phone: '1' }, shippingAddress: {} }, ['email']],
    [{ customer: { phone: '2' }, shippingAddress: { city: 'Town' } }, ['phone']],
    [PATCH, ['phone', 'address']],
  ])('of %j changes what rules about %j look at', (patch, parts) => {
    expect(changedParts(CONTACT, correctedContact(CONTACT, patch))).toEqual(parts);
  });

  it('names what changes, without values, and keeps the rest', () => {
    const change = changeContact(anOrder(picking), PATCH, { contact, assessment: ACCEPT, before });

    const changed = ['customer.phone', 'shipping_address.city', 'shipping_address.zip'];
    expect(change.events).toMatchObject([{ event: 'contact_changed', details: { changed } }]);
    expect(effectsOf(change).contact).toEqual(contact);
    expect([statesOf(change), effectsOf(change).review?.to]).toEqual(['PENDING PENDING', undefined]);
    expect(effectsOf(change).assessment).toEqual({ ...ACCEPT, verdict: before });
    expect(contact.shippingAddress).toEqual(wholeAddress({ address: '1 Road', city: 'Bonn', zip: '53111' }));
  });

  it.each([
    ['the rules say so', { contact, assessment: REJECT, before }, 'blocked_phone'],
    ['it is not the one that was screened', { contact: CONTACT, assessment: ACCEPT, before }, 'analysis_unavailable'],
    ['it was not screened', { contact, assessment: ANALYSIS_UNAVAILABLE, before }, 'analysis_unavailable'],
  ])('holds the order where %s', (_case, screened, rule) => {
    const change = changeContact(anOrder(), PATCH, screened);

    expect(effectsOf(change)).toMatchObject({
      contact,
      review: { to: { heldFor: [rule] } },
      assessment: { verdict: 'REVIEW', reasons: [{ rule }] },
    });
    expect(change.events).toMatchObject([{ event: 'contact_changed', details: { rules: [rule] } }]);
  });

  it('of an order without an analysis holds nothing, and the same contact changes nothing', () => {
    const { events, effects } = changeContact(anOrder(), PATCH, null);
    expect(events).toMatchObject([{ event: 'contact_changed' }]);
    expect(effects).toEqual([{ kind: 'contact', ...contact }]);
    const same = { customer: { phone: '1' }, shippingAddress: {} };
    const shipped = anOrder({ fulfillmentStatus: 'SHIPPED' });
    expect(changeContact(shipped, same, { contact: CONTACT, assessment: REJECT, before })).toEqual(shipped.unchanged());
  });

  it('of an order with units left to ship may change after the first shipment', () => {
    const part = anOrder({ shipments: [aShipment({ items: [units(1, 1)] })] });

    const { effects } = changeContact(part, PATCH, { contact, assessment: ACCEPT, before });

    expect(effects).toContainEqual({ kind: 'contact', ...contact });
  });

  it.each<[string, PlacedOrderState['status'], PlacedOrderState['fulfillmentStatus']]>([
    ['has shipped', 'SUCCEEDED', 'SHIPPED'],
    ['is delivered and not paid', 'PENDING', 'DELIVERED'],
  ])('may change the billing address of an order that %s, without a screening', (_case, status, fulfillmentStatus) => {
    const patch = { customer: {}, shippingAddress: {}, billingAddress: { vat_id: 'DE1', company: 'Ada Ltd' } };

    const { events, effects } = changeContact(anOrder({ status, fulfillmentStatus }), patch, null);

    expect(events).toMatchObject([{ event: 'billing_changed', details: { changed: ['billing_address.vat_id'] } }]);
    expect(effects).toEqual([
      { kind: 'contact', ...CONTACT, billingAddress: { ...CONTACT.billingAddress, vat_id: 'DE1' } },
    ]);
  });

  it('refuses the billing address of an order that has ended', () => {
    const ended = anOrder({ status: 'SUCCEEDED', fulfillmentStatus: 'DELIVERED' });
    const patch = { customer: {}, shippingAddress: {}, billingAddress: { name: 'Eve' } };

    expect(thrown(() => changeContact(ended, patch, null))).toBe('order_ended');
  });

  it.each<[string, Partial<PlacedOrderState>]>([
    ['already_shipped', { shipments: [aShipment({ items: ALL })] }],
    ['already_shipped', { fulfillmentStatus: 'DELIVERED' }],
    ['order_cancelled', { fulfillmentStatus: 'CANCELLED' }],
    ['being_picked', picking],
  ])('is refused as %s of %j', (code, state) => {
    expect(thrown(() => changeContact(anOrder(state), PATCH, { contact, assessment: REJECT, before }))).toBe(code);
  });
});
