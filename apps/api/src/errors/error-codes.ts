import { DELETIONS_KEPT_DAYS } from '@app/domain';

interface ErrorCodeEntry {
  /** The HTTP status of every answer with this code. */
  readonly status: number;
  readonly meaning: string;
  /** What the client should do. */
  readonly action: string;
}

/**
 * The values of `X-Error-Code`, in the order of their statuses. The API reference, the metrics and the tests use this
 * table. A code keeps its meaning under `/v1`; new codes may be added.
 */
export const ERROR_CODES = {
  invalid_request: {
    status: 400,
    meaning: 'The request is malformed, or a value in it is not valid.',
    action: 'Correct the request as `error` says. A repeated request fails again.',
  },
  item_unavailable: {
    status: 400,
    meaning: "A product or variant of the order is unknown, inactive or another store's.",
    action: 'Read the products again and correct the items.',
  },
  cursor_expired: {
    status: 400,
    meaning: `The cursor is older than ${DELETIONS_KEPT_DAYS} days, for which deletions are kept.`,
    action: 'Start again without a cursor, then delete local records that were not sent again (not orders).',
  },
  cursor_invalid: {
    status: 400,
    meaning: 'The cursor of the feed is damaged, or belongs to another store, mode or other kinds.',
    action: 'Send the last cursor of the same store, mode and kinds, or none to read everything again.',
  },
  unauthorized: {
    status: 401,
    meaning: 'The request has no API key, or the key is malformed or unknown.',
    action: 'Send the key as `Authorization: Bearer <API key>`.',
  },
  api_key_inactive: {
    status: 403,
    meaning: 'The API key is deactivated, revoked or expired.',
    action: "Use another key of the store, or ask the store's operator for one.",
  },
  store_inactive: {
    status: 403,
    meaning: 'The store of the key is inactive.',
    action: "Stop, and ask the store's operator.",
  },
  address_not_allowed: {
    status: 403,
    meaning: 'The API key is limited to networks, and the request comes from another address.',
    action: "Send the request from an allowed network, or ask the store's operator.",
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The API key lacks the scope that the request needs. `error` names it.',
    action: "Use a key with this scope, or ask the store's operator for one.",
  },
  not_found: {
    status: 404,
    meaning: 'The path is unknown, or the store has no such resource.',
    action: 'Check the path and the id.',
  },
  idempotency_in_flight: {
    status: 409,
    meaning: 'An earlier request with the same `Idempotency-Key` is still being processed.',
    action: 'Repeat the same request after `Retry-After` seconds. It returns the answer to the first.',
  },
  out_of_stock: {
    status: 422,
    meaning: 'Stock is short. `error` names each line with the requested and the available quantity.',
    action: 'Reduce the quantities, or order later.',
  },
  currency_mismatch: {
    status: 422,
    meaning: "The order names another `currency` than the store's. `error` names that of the store.",
    action: 'Correct the prices on your side, and send the order without `currency` or with that of the store.',
  },
  price_changed: {
    status: 422,
    meaning: 'The order costs something else than its `expected_total`. `error` names the total.',
    action: 'Show the new total to the buyer, and send it as `expected_total` once it is agreed.',
  },
  external_reference_taken: {
    status: 422,
    meaning:
      'Another order of the store, in the same mode, has this `external_reference`. Its id is in `X-Existing-Order`.',
    action: 'Read that order. If it is not the same purchase, send another reference.',
  },
  fraud_rejected: {
    status: 422,
    meaning: "The store's fraud rules reject the order.",
    action: 'Do not repeat the request. Ask the buyer to contact the store.',
  },
  order_held: {
    status: 422,
    meaning: 'The order is under review: nothing of it ships. The history keeps the attempt.',
    action: 'Release the order, or cancel it.',
  },
  order_cancelled: {
    status: 422,
    meaning: 'The order is cancelled. The history keeps the attempt of a shipment.',
    action: 'Do not ship it; if a parcel has left, take its units out of the stock. Pay back `refund_due`.',
  },
  not_held: {
    status: 422,
    meaning: 'The order is not under review.',
    action: 'Nothing: somebody released it before.',
  },
  already_shipped: {
    status: 422,
    meaning:
      'Less is left to ship, which `error` names, or the order can no longer be cancelled. The history keeps the attempt of ' +
      'a shipment.',
    action:
      'Read the order. If a parcel has left twice, call it back. Instead of a cancellation, refund it, with `restock` when ' +
      'units come back.',
  },
  being_picked: {
    status: 422,
    meaning: 'A shipment that is being picked has claimed the units. `error` names it.',
    action: 'Ship that shipment, or make it void.',
  },
  shipment_reference_taken: {
    status: 422,
    meaning: 'The order has a shipment with this `reference` and another content, or a void one.',
    action: 'Read the order. Send another reference for another shipment.',
  },
  payment_reference_taken: {
    status: 422,
    meaning: 'The order has a payment with this `reference` and another content.',
    action: 'Read the order. Send another reference for another payment.',
  },
  refund_reference_taken: {
    status: 422,
    meaning: 'The order has a refund with this `reference` and another content.',
    action: 'Read the order. Send another reference for another refund.',
  },
  amount_mismatch: {
    status: 422,
    meaning: 'The paid amount is not the total of the order. `error` names both; the history keeps the attempt.',
    action: 'Clear it with the customer: refund the payment, or correct it.',
  },
  refund_exceeds_payment: {
    status: 422,
    meaning: 'The refunds would exceed what was paid. `error` names what is left.',
    action: 'Read the order, and refund at most what is left.',
  },
  refund_exceeds_line: {
    status: 422,
    meaning: 'The refund is for more units of a line than were ordered. `error` names the line.',
    action: 'Read the order, and correct the lines.',
  },
  units_without_bin: {
    status: 422,
    meaning: 'The units of an imported order came from no bin, so `restock` cannot return them. Nothing is recorded.',
    action: 'Repeat the request without `restock`, and record the goods with `POST /v1/stock`.',
  },
  return_exceeds_shipment: {
    status: 422,
    meaning: 'Units that were not shipped, or came back already, cannot come back. `error` names what can.',
    action: 'Read the order, and correct the lines.',
  },
  stale: {
    status: 422,
    meaning: 'The order has another status than `expected`. `error` names it and the possible moves.',
    action: 'Read the order, and decide again.',
  },
  transition_not_allowed: {
    status: 422,
    meaning: 'The life cycle does not allow the move. `error` names the possible ones.',
    action:
      'Read the order. SHIPPED and DELIVERED follow from shipments, SUCCEEDED and REFUNDED from payments and refunds.',
  },
  stock_refused: {
    status: 422,
    meaning: 'A line of an atomic change of stock is refused, so no line changes anything. `error` names the lines.',
    action: 'Read the stock, and correct the lines.',
  },
  reference_taken: {
    status: 422,
    meaning: 'Another change of stock of the store has this `reference`.',
    action: 'Send another reference for another change.',
  },
  url_not_allowed: {
    status: 422,
    meaning: 'Nothing is ever sent to the `url` of the webhook, which is not public https. `error` names the fault.',
    action: "Give another URL. For a receiver inside, ask the service's operator.",
  },
  too_many_webhooks: {
    status: 422,
    meaning: 'The store has as many webhooks as it may, in the mode of the key.',
    action: 'Delete one that nobody needs.',
  },
  idempotency_mismatch: {
    status: 422,
    meaning: 'Another request was carried out with this `Idempotency-Key`.',
    action: 'Use a new key for each new order and each change.',
  },
  throttled: {
    status: 429,
    meaning: 'The key sends far more requests than any client needs.',
    action: 'Wait `Retry-After` seconds, and slow down.',
  },
  internal_error: {
    status: 500,
    meaning: 'The service failed.',
    action: 'Repeat the request with exponential backoff. If it fails again, report its `X-Request-Id`.',
  },
  unavailable: {
    status: 503,
    meaning: 'The database is unavailable for a moment, or not migrated yet.',
    action: 'Repeat the request after `Retry-After` seconds, with backoff; an order only with its `Idempotency-Key`.',
  },
  deadline_exceeded: {
    status: 503,
    meaning: 'The service could not finish the request in time.',
    action: 'Repeat the request after `Retry-After` seconds, with backoff; an order only with its `Idempotency-Key`.',
  },
  overloaded: {
    status: 503,
    meaning: 'Too many requests run at the same time. The request was not begun.',
    action: 'Repeat the request after `Retry-After` seconds, with exponential backoff.',
  },
  outcome_unknown: {
    status: 503,
    meaning:
      'The database did not confirm the commit. The order or its change may have been made, or may still be lost.',
    action:
      'Repeat the request with the same `Idempotency-Key`. Without a key, read the order before you repeat the request.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>;

export type ErrorCode = keyof typeof ERROR_CODES;
