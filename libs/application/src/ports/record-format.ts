import type { Currency } from '@app/domain';
import type { ChangedResource } from './change-feed.js';

export abstract class RecordFormat {
  /** Returns the answer of the resource's own route; null when the resource is deleted. */
  abstract format(change: ChangedResource, currency: Currency): unknown;
}
