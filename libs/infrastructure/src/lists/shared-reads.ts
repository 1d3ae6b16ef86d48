import { FULL_PACE, GroupedLookup, type Pace } from '../postgres/grouped-lookup.js';
import type { AnswerSize } from '../postgres/answer-size.js';

/**
 * The most bytes of all records of one statement: the process parses them, and makes their answers, before it serves
 * others.
 */
const MAX_BYTES = 256 * 1024;
const MAX_RECORDS = 32;

interface Lane<Found> {
  readonly lookup: GroupedLookup<Found>;
  pace: Pace;
}

/**
 * Reads single records: those of a store that are requested at the same time with one statement. After large records, the next
 * statement of the store reads fewer, and their answers are made one in each turn of the event loop.
 */
export class SharedReads<Found> {
  /** Each store has its own lane, so that a slow statement delays the readers of its store only. */
  private readonly lanes = new Map<number, Lane<Found>>();

  /** @param keyOf the key with which the record is found. */
  constructor(
    private readonly findMany: (
      storeId: number,
      keys: readonly string[],
      size: AnswerSize,
    ) => Promise<readonly Found[]>,
    private readonly keyOf: (record: Found) => string,
  ) {}

  find(storeId: number, key: string): Promise<Found | null> {
    let lane = this.lanes.get(storeId);
    if (!lane) this.lanes.set(storeId, (lane = this.laneOf(storeId)));
    return lane.lookup.find(key);
  }

  private laneOf(storeId: number): Lane<Found> {
    const lookUp = async (keys: readonly string[]) => {
      const size = { bytes: 0 };
      const records = await this.findMany(storeId, keys, size);
      if (records.length > 0) lane.pace = paceAfter(lane.pace, size.bytes / records.length);
      return new Map(records.map((record) => [this.keyOf(record), record]));
    };
    const lane: Lane<Found> = {
      lookup: new GroupedLookup(lookUp, undefined, () => lane.pace),
      pace: { ...FULL_PACE, most: MAX_RECORDS },
    };
    return lane;
  }
}

/** Small records may follow large ones and precede them, so their number grows by steps. */
function paceAfter({ most }: Pace, bytes: number): Pace {
  const fitting = Math.max(1, Math.min(MAX_RECORDS, 2 * most, Math.floor(MAX_BYTES / bytes)));
  return fitting > 1 ? { ...FULL_PACE, most: fitting } : { most: 1, concurrent: 1, turn: nextTurn };
}

let lastTurn = Promise.resolve();

/** A turn of the event loop for each caller, of all stores. */
function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
}
