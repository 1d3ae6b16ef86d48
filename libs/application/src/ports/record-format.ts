import type { Currency } from '@app/domain';
import type { ChangedResource } from './change-feed.js';

export abstract class RecordFormat {
  /** The answer of the resource's own route; null when it is deleted. */
  abstract format(change: ChangedResource, currency: Currency): unknown;
}
