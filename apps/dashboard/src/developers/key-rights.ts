import type { Scope, StoreKey } from '../http.js';
import { textIn } from '../parts/ask.js';

/** What a key may do, in words of tasks. */
export const TASKS: Readonly<Record<Exclude<Scope, 'read' | 'team'>, string>> = {
  orders: 'place orders',
  fulfillment: 'ship, cancel, release',
  payments: 'record payments and refunds',
  stock: 'change stock',
  webhooks: 'manage webhooks',
  catalog: 'change products and prices',
  customers: 'change customers',
  sales: 'record sales of tills',
  keys: 'make and revoke keys',
};
export type Task = keyof typeof TASKS;

export function mayOf({ full, scope }: StoreKey): string {
  if (full) return 'everything, also what later versions add';
  const tasks = scope.filter((word): word is Task => word in TASKS).map((word) => TASKS[word]);
  return tasks.length === 0 ? 'only read' : tasks.join(', ');
}

/** @throws when tasks are to be chosen and none is. */
export function scopeIn(form: FormData): ('read' | 'full' | Task)[] {
  const may = textIn(form, 'may') as 'read' | 'full' | 'tasks';
  if (may !== 'tasks') return [may];
  const tasks = form.getAll('tasks') as Task[];
  if (tasks.length === 0) throw new Error('Choose what the key may do.');
  return ['read', ...tasks];
}

/** In days. */
export const EXPIRIES = { '90 days': 90, '1 year': 365, never: 0 };
/** In hours. */
export const OVERLAPS = { 'no time: it ends now': 0, '1 day': 24, '7 days': 168, '30 days': 720 };

export const numberIn = (form: FormData, name: string, of: Readonly<Record<string, number>>): number =>
  of[textIn(form, name)] ?? 0;

export function expiryIn(form: FormData): string | null {
  const days = numberIn(form, 'expiry', EXPIRIES);
  const end = new Date();
  end.setDate(end.getDate() + days);
  return days > 0 ? end.toISOString() : null;
}

export const isOver = ({ status, expires_at }: StoreKey): boolean =>
  status === 'REVOKED' || (expires_at !== null && new Date(expires_at) <= new Date());
