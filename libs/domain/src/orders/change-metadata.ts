import { MetadataTooLarge } from '../errors.js';
import {
  isMetadataSmall,
  isSameMetadata,
  METADATA_LIMITS,
  withPatch,
  type Metadata,
  type MetadataPatch,
} from '../shared/metadata.js';
import type { OrderChange } from './order-change.js';
import { orderEvent } from './order-event.js';
import type { PlacedOrder } from './placed-order.js';

export interface MetadataChange {
  readonly metadata: MetadataPatch;
  readonly lines: readonly { readonly line: number; readonly metadata: MetadataPatch }[];
}

/** The event names no key: a client chooses them, and they may be personal data. @throws NotFound, MetadataTooLarge */
export function changeMetadata(order: PlacedOrder, change: MetadataChange): OrderChange {
  order.assertLines(change.lines);
  const { state } = order;
  const before = new Map(state.lineMetadata.map(({ line, metadata }) => [line, metadata]));
  const after = new Map(before);
  for (const { line, metadata } of change.lines) after.set(line, withPatch(after.get(line) ?? {}, metadata));
  const ofOrder = withPatch(state.metadata, change.metadata);
  const lines = [...after].flatMap(([line, metadata]) =>
    isSameMetadata(metadata, before.get(line) ?? {}) ? [] : [{ line, metadata }],
  );
  if (isSameMetadata(ofOrder, state.metadata) && lines.length === 0) return order.unchanged();
  assertMetadataFits([ofOrder, ...after.values()]);
  return {
    ...order.unchanged(),
    events: [orderEvent('metadata_changed')],
    effects: [{ kind: 'metadata', ofOrder, lines }],
  };
}

/** @param all the metadata of an order and of its lines. @throws MetadataTooLarge */
export function assertMetadataFits(all: readonly Metadata[]): void {
  const isFull = all.some((metadata) => Object.keys(metadata).length > METADATA_LIMITS.keys);
  if (isFull || !isMetadataSmall(all)) throw new MetadataTooLarge();
}
