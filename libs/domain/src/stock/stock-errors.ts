import { refusedLines, rejected } from '../shared/domain-error.js';

import { MAX_INT4 } from '../values/value-kind.js';

export const BinAboveLimit = rejected('above_limit', `A bin holds at most ${MAX_INT4}`);

export class StockRefused extends refusedLines('stock_refused') {}
