import type { RunningApi } from './start-api.js';

export interface FeedEntry {
  readonly kind: string;
  readonly id: string;
  readonly deleted: boolean;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>> | null;
}

export interface FeedAnswer {
  readonly success: true;
  readonly data: readonly FeedEntry[];
  readonly cursor: string;
  readonly has_more: boolean;
  readonly rewound: boolean;
}

export class FeedReader {
  cursor: string | undefined;
  readonly copy = new Map<string, FeedEntry>();

  constructor(
    private readonly api: Pick<RunningApi, 'get'>,
    private readonly query = 'limit=100',
  ) {}

  async page(more = ''): Promise<FeedAnswer> {
    const cursor = this.cursor === undefined ? '' : `&cursor=${this.cursor}`;
    const response = await this.api.get(`/v1/changes?${this.query}${cursor}${more}`);
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`);
    const answer = response.json<FeedAnswer>();
    this.cursor = answer.cursor;
    if (answer.rewound) this.copy.clear();
    for (const entry of answer.data) {
      if (entry.deleted) this.copy.delete(`${entry.kind} ${entry.id}`);
      else this.copy.set(`${entry.kind} ${entry.id}`, entry);
    }
    return answer;
  }

  /** Reads until there is no more. Returns `kind id` of each entry, with a minus for a deletion. */
  async catchUp(): Promise<string[]> {
    const seen: string[] = [];
    for (let more = true; more;) {
      const { data, has_more: hasMore } = await this.page();
      seen.push(...data.map(({ kind, id, deleted }) => `${deleted ? '-' : ''}${kind} ${id}`));
      more = hasMore;
    }
    return seen;
  }
}
