import { IdempotencyInFlight, IdempotencyMismatch } from '@app/application';
import {
  DeliveredTooEarly,
  ExternalReferenceTaken,
  ItemsUnavailable,
  OutOfStock,
  StaleStatus,
  UnitsWithoutBin,
  type DomainError,
} from '@app/domain';
import { STATUS_FIELDS } from '@app/representations';

/** A message names this many lines at most. */
const MAX_NAMED = 20;

/** The text for the client, in the names of the body's fields and of the headers. */
export function messageOf(error: DomainError): string {
  if (error instanceof ItemsUnavailable) {
    return named(error.items, ({ line, what, id }) => `items[${line}].${what}_id ${id} is not available`);
  }
  if (error instanceof OutOfStock) {
    return named(
      error.shortages,
      ({ line, requested, available, lacksVariant }) =>
        `items[${line}]: requested ${requested}, available ${available}` +
        (lacksVariant ? ' without variant_id (the product has variants)' : ''),
    );
  }
  if (error instanceof ExternalReferenceTaken) return 'Another order has this external_reference';
  if (error instanceof IdempotencyInFlight) return 'A request with this Idempotency-Key is still being processed';
  if (error instanceof IdempotencyMismatch) return 'This Idempotency-Key was used with a different request';
  if (error instanceof DeliveredTooEarly) return `at must not be before shipped_at ${error.shippedAt.toISOString()}`;
  if (error instanceof StaleStatus) return error.message.replace(error.field, STATUS_FIELDS[error.field]);
  if (error instanceof UnitsWithoutBin) return `${error.message}: record the goods with POST /v1/stock`;
  return error.message;
}

function named<T>(faults: readonly T[], text: (fault: T) => string): string {
  return faults.slice(0, MAX_NAMED).map(text).join('; ');
}
