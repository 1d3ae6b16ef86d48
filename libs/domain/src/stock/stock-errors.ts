import { refusedLines, rejected } from '../shared/domain-error.js';

import { MAX_INT4 } from '../values/value-kind.js';

export const BinAboveLimit = rejected('above_limit', `A bin can hold at most ${MAX_INT4} units`);

export class StockRefused extends refusedLines('stock_refused') {}
