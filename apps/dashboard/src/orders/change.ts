import type { paths } from '../../../../examples/typescript-client/api.js';
import { api } from '../http.js';

type Change = 'cancel' | 'hold' | 'mails' | 'notes' | 'payments' | 'refunds' | 'release' | 'shipments';
type Post<C extends Change> = paths[`/v1/orders/{id}/${C}`]['post'];
type Body<C extends Change> =
  Post<C> extends { requestBody?: { content: { 'application/json': infer Given } } } ? Given : never;

/** Changes an order. @returns what to say then. */
export async function change<C extends Change>(id: string, what: C, body: Body<C>, said = ''): Promise<string> {
  await api.POST(`/v1/orders/{id}/${what as 'notes'}`, { params: { path: { id } }, body: body as Body<'notes'> });
  return said;
}
