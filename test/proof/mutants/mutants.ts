import { ACCESS_MUTANTS } from './access-mutants.js';
import { MOVE_MUTANTS } from './move-mutants.js';
import type { Mutant } from './mutant.js';
import { ORDER_MUTANTS } from './order-mutants.js';
import { STOCK_MUTANTS } from './stock-mutants.js';

export const MUTANTS: readonly Mutant[] = [...ORDER_MUTANTS, ...STOCK_MUTANTS, ...ACCESS_MUTANTS, ...MOVE_MUTANTS];
