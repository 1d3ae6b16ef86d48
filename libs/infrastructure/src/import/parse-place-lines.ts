import type { BinLine, StockLine, WarehouseLine } from './bundle.js';
import { flag, integer, name, object, optional, orNull, required } from './fields.js';
import { INT4_MAX, code, kind, placeOfBin, sku, slug, subdomain } from './vocabulary.js';

export const warehouseLine = object<WarehouseLine>({
  kind: kind('warehouse'),
  store: required(subdomain),
  code: required(code),
  name: required(name(200)),
  active: optional(flag),
});

export const binLine = object<BinLine>({
  kind: kind('bin'),
  store: required(subdomain),
  warehouse: required(code),
  code: required(code),
});

export const stockLine = object<StockLine>({
  kind: kind('stock'),
  store: required(subdomain),
  bin: required(placeOfBin),
  product: required(slug),
  variant: optional(orNull(sku)),
  quantity: required(integer(0, INT4_MAX)),
});
