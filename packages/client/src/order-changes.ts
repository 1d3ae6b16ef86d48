import type { components } from './api.js';
import { refused, type StoreClient } from './client.js';
import type { FullOrder } from './records.js';

export type NewShipment = components['schemas']['CreateShipmentRequest'];
export type ShipmentChange = components['schemas']['ChangeShipmentRequest'];
export type Cancellation = components['schemas']['CancelOrderRequest'];
export type NewPayment = components['schemas']['RecordPaymentRequest'];
export type NewRefund = components['schemas']['RecordRefundRequest'];
export type OrderPatch = components['schemas']['OrderPatchRequest'];
export type RepeatedMail = components['schemas']['RepeatMailRequest'];
export type Transition = components['schemas']['TransitionRequest'];
export type LinesChange = components['schemas']['ChangeLinesRequest'];

/** `refused`: nothing changed, and a repetition is refused again until the order or the request changes. */
export type ChangeOutcome =
  | { readonly result: 'done'; readonly order: FullOrder }
  | { readonly result: 'refused'; readonly code: string; readonly reason: string };

/**
 * Ships lines of an order, or claims them with `status: 'picking'`; without `items`, all that is left. The same call with
 * the same reference is the same shipment, also after a restart.
 *
 * @throws RequestFailed or the TypeError of `fetch` when the client gave up: the order may have changed. Call again. So do
 * the other changes.
 */
export function shipOrder(client: StoreClient, id: string, shipment: NewShipment): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/shipments', { params: once(id), body: shipment }));
}

/** Sets the status or the tracking of a shipment. */
export function changeShipment(
  client: StoreClient,
  id: string,
  reference: string,
  change: ShipmentChange,
): Promise<ChangeOutcome> {
  const params = { path: { id, reference } };
  return changed(client.PATCH('/v1/orders/{id}/shipments/{reference}', { params, body: change }));
}

/** Cancels an order before anything of it ships. `refund_due` of the order states what to pay back. */
export function cancelOrder(
  client: StoreClient,
  id: string,
  cancellation: Cancellation = {},
  key?: string,
): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/cancel', { params: once(id, key), body: cancellation }));
}

/** Sets quantities and adds lines. @param key without it, a repetition would add the lines again. */
export function changeLines(client: StoreClient, id: string, lines: LinesChange, key?: string): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/lines', { params: once(id, key), body: lines }));
}

/** Puts an order under review before anything of it ships. */
export function holdOrder(client: StoreClient, id: string, reason: string): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/hold', { params: once(id), body: { reason } }));
}

/** Ends the review. */
export function releaseOrder(client: StoreClient, id: string): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/release', { params: once(id), body: {} }));
}

/** Records a payment. The amount is in minor units: what is owed, or a part of it with `partial` or `settles`. */
export function recordPayment(client: StoreClient, id: string, payment: NewPayment): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/payments', { params: once(id), body: payment }));
}

/** Records a refund, in minor units. */
export function recordRefund(client: StoreClient, id: string, refund: NewRefund): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/refunds', { params: once(id), body: refund }));
}

/** Moves a status, unless another program has moved it from `expected` before. */
export function moveOrder(client: StoreClient, id: string, transition: Transition): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/transitions', { params: once(id), body: transition }));
}

/**
 * Sets metadata of an order and of its lines: null removes a key, and other keys stay. Or corrects the contact or the
 * address before anything ships: the order may be under review afterwards.
 */
export function patchOrder(client: StoreClient, id: string, patch: OrderPatch): Promise<ChangeOutcome> {
  return changed(client.PATCH('/v1/orders/{id}', { params: { path: { id } }, body: patch }));
}

/** Adds a note to the history. A call again after no answer may add it twice. */
export function addNote(client: StoreClient, id: string, text: string): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/notes', { params: once(id), body: { text } }));
}

/** Sends a mail again that is done, or tries a dead one again. */
export function repeatMail(client: StoreClient, id: string, mail: RepeatedMail): Promise<ChangeOutcome> {
  return changed(client.POST('/v1/orders/{id}/mails', { params: once(id), body: mail }));
}

/** The key lets the client repeat the request. A later call relies on the reference in the body. */
function once(id: string, key: string = crypto.randomUUID()) {
  return { path: { id }, header: { 'Idempotency-Key': key } };
}

async function changed(
  sent: Promise<{ data?: { readonly data: FullOrder }; error?: unknown; response: Response }>,
): Promise<ChangeOutcome> {
  const { data, error, response } = await sent;
  return data ? { result: 'done', order: data.data } : refused(response, error);
}
