import type { WarehouseRecord } from '@app/application';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const Warehouse = representation(
  'Warehouse',
  is.object({
    code: is.text('Names the warehouse in requests.', 'MAIN'),
    name: is.text('Display name.', 'Main warehouse'),
    active: is.flag('Whether its stock is for sale.', true),
    bins: is.arrayOf(is.text('Code of a bin.', 'A-1'), 'The codes of its bins, in their order.'),
  }),
);

export function toWarehouseResponse({ code, name, active, bins }: WarehouseRecord): ValueOf<typeof Warehouse> {
  return { code, name, active, bins };
}
