import type { Currency } from '@app/domain';
import type { ChangedResource } from './change-feed.js';

/** The resources as the API shows them. */
export abstract class RecordFormat {
  /** A value for JSON: the answer of the resource's own route; null when it is deleted. */
  abstract format(change: ChangedResource, currency: Currency): unknown;
}
