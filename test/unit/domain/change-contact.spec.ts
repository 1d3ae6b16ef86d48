import {
  ANALYSIS_UNAVAILABLE,
  changeContact,
  changedParts,
  correctedContact,
  wholeAddress,
  type ContactPatch,
  type PlacedOrderState,
} from '@app/domain';
import { anOrder, aShipment, CONTACT, statesOf, thrown, units } from '../../builders/order-state.js';

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
    expect(change).toMatchObject({ contact, events: [{ event: 'contact_changed', details: { changed } }] });
    expect([statesOf(change), change.review]).toEqual(['PENDING PENDING', undefined]);
    expect(change.assessment).toEqual({ ...ACCEPT, verdict: before });
    expect(contact.shippingAddress).toEqual(wholeAddress({ address: '1 Road', city: 'Bonn', zip: '53111' }));
  });

  it.each([
    ['the rules say so', { contact, assessment: REJECT, before }, 'blocked_phone'],
    ['it is not the one that was screened', { contact: CONTACT, assessment: ACCEPT, before }, 'analysis_unavailable'],
    ['it was not screened', { contact, assessment: ANALYSIS_UNAVAILABLE, before }, 'analysis_unavailable'],
  ])('holds the order where %s', (_case, screened, rule) => {
    const change = changeContact(anOrder(), PATCH, screened);

    expect(change).toMatchObject({ contact, review: 'held', assessment: { verdict: 'REVIEW', reasons: [{ rule }] } });
    expect(change.events).toMatchObject([{ event: 'contact_changed', details: { rules: [rule] } }]);
  });

  it('of an order without an analysis holds nothing, and the same contact changes nothing', () => {
    expect(changeContact(anOrder(), PATCH, null)).toMatchObject({ contact, events: [{ event: 'contact_changed' }] });
    const same = { customer: { phone: '1' }, shippingAddress: {} };
    const shipped = anOrder({ fulfillmentStatus: 'SHIPPED' });
    expect(changeContact(shipped, same, { contact: CONTACT, assessment: REJECT, before })).toEqual(shipped.unchanged());
  });

  it.each<[string, Partial<PlacedOrderState>]>([
    ['already_shipped', { shipments: [aShipment({ items: [units(1, 1)] })] }],
    ['already_shipped', { fulfillmentStatus: 'DELIVERED' }],
    ['order_cancelled', { fulfillmentStatus: 'CANCELLED' }],
    ['being_picked', picking],
  ])('is refused as %s of %j', (code, state) => {
    expect(thrown(() => changeContact(anOrder(state), PATCH, { contact, assessment: REJECT, before }))).toBe(code);
  });
});
