import type { FeedAnswer } from '../../support/feed-reader.js';
import type { StockedStore } from '../support/shop.js';
import type { Answered, Asked, Desk } from './desk.js';
import type { Bin, Place, Shelves } from './shelves.js';

export const MAX_LINES = 500;

export interface CounterOptions {
  readonly shop: StockedStore;
  readonly services: readonly { readonly url: string }[];
  readonly shelves: Shelves;
  readonly desk: Desk;
}

export class Counter {
  readonly places: Place[] = [];
  private cursor: string | null = null;

  constructor(private readonly options: CounterOptions) {}

  async read(): Promise<Place> {
    const { shop, services, shelves } = this.options;
    const number = this.places.length;
    for (;;) {
      const began = shelves.now();
      const from = this.cursor === null ? '' : `&cursor=${this.cursor}`;
      const path = `/v1/changes?kinds=orders&limit=100${from}`;
      const { status, bytes } = await shop.buyers.insist(services, undefined, { method: 'GET', path });
      if (status !== 200) throw new Error(`The feed answered ${status}: ${bytes.toString().slice(0, 200)}`);
      const { data, cursor, has_more: hasMore } = JSON.parse(bytes.toString()) as FeedAnswer;
      for (const { id } of data) shelves.show(id, number);
      this.cursor = cursor;
      if (hasMore) continue;
      const place = { number, cursor, began, ended: shelves.now() };
      this.places.push(place);
      return place;
    }
  }

  /** Posts a count of each bin whose contents it knows. @param bins at most 500, each once. */
  async count(
    bins: readonly Bin[],
    placeOf: (bin: Bin) => Place | undefined,
    refusals: readonly string[],
  ): Promise<Answered[]> {
    const { shop, shelves, desk } = this.options;
    const asked = bins.flatMap((bin): Asked[] => {
      const place = placeOf(bin);
      const contents = place && shelves.at(bin, place);
      if (!contents) return [];
      // More may be sold, and even shipped, than there ever was, but nobody counts less than nothing.
      const available = contents.shelf - contents.sold;
      if (contents.shelf < 0) return [];
      const basis = available >= 0 && shop.context.random(2) === 0 ? 'available' : 'on_hand';
      const counted = basis === 'on_hand' ? contents.shelf : available;
      return [{ bin, place, units: null, write: { counted, as_of: place.cursor, basis } }];
    });
    return asked.length === 0 ? [] : desk.post(asked, refusals);
  }

  /**
   * Counts every bin at any position from `since` on, and if that was too late, at the end. @returns the bins that were
   * not counted.
   */
  async countAll(since: number): Promise<Bin[]> {
    const { random } = this.options.shop.context;
    const candidates = this.places.slice(since);
    const late = await this.countIn(this.options.shelves.bins, () => candidates[random(candidates.length)], [
      'superseded',
    ]);
    const last = await this.read();
    return this.countIn(late, () => last, []);
  }

  private async countIn(
    bins: readonly Bin[],
    placeOf: () => Place | undefined,
    refusals: readonly string[],
  ): Promise<Bin[]> {
    const left = new Set(bins);
    for (let n = 0; n < bins.length; n += MAX_LINES) {
      const answered = await this.count(bins.slice(n, n + MAX_LINES), placeOf, refusals);
      for (const { bin, code } of answered) if (code === '') left.delete(bin);
    }
    return [...left];
  }
}
