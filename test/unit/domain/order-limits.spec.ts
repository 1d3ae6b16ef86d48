import { shipOrder, withinLimits } from '@app/domain';
import { aLine, anOrder, aShipment, effectsOf, shipping, units } from '../../builders/order-state.js';

const lines = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

describe('the shipments of an order', () => {
  const voided = lines(20).map((n) => {
    const items = lines(n === 20 ? 99 : 100).map((line) => units(line, 1));
    return aShipment({ reference: `S-${n}`, status: 'void', items });
  });
  const order = anOrder({ lines: lines(100).map((line) => aLine(line, 1)), shipments: voided });
  const ship = (count: number) => {
    const items = lines(count).map((line) => units(line, 1));
    return withinLimits(order, shipOrder(order, shipping({ reference: 'NEW', items })));
  };

  it('have 2,000 lines in all, void ones included, and no more', () => {
    expect(effectsOf(ship(1)).shipment?.shipment.items).toHaveLength(1);
    expect(() => ship(2)).toThrow('The order already has 2000 lines in its shipments, the maximum');
  });
});
