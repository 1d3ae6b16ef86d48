import { MetadataTooLarge } from './change-errors.js';
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
import type { PlacedOrder, PlacedOrderState } from './placed-order.js';

export interface MetadataChange {
  readonly metadata: MetadataPatch;
  readonly lines: readonly { readonly line: number; readonly metadata: MetadataPatch }[];
}

/** The event names no key: clients choose the keys, which may be personal data. @throws NotFound, MetadataTooLarge */
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
  const changed = [...after].map(([line, metadata]) => ({ line, metadata }));
  assertMetadataFits(metadataOf({ ...state, metadata: ofOrder, lineMetadata: changed }));
  return {
    ...order.unchanged(),
    events: [orderEvent('metadata_changed')],
    effects: [{ kind: 'metadata', ofOrder, lines }],
  };
}

/** Collects the metadata of an order, of its lines and of its payments. */
export function metadataOf({ metadata, lineMetadata, payments }: PlacedOrderState): Metadata[] {
  return [metadata, ...[...lineMetadata, ...payments].map((part) => part.metadata)].filter(isFilled);
}

function isFilled(metadata: Metadata): boolean {
  return Object.keys(metadata).length > 0;
}

/** @param all the metadata of an order and its parts. @throws MetadataTooLarge */
export function assertMetadataFits(all: readonly Metadata[]): void {
  const isFull = all.some((metadata) => Object.keys(metadata).length > METADATA_LIMITS.keys);
  if (isFull || !isMetadataSmall(all)) throw new MetadataTooLarge();
}
