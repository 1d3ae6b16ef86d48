import {
  CHANGE_KINDS,
  ChangeFeed,
  CursorExpired,
  type ChangeKind,
  type FeedHead,
  type FeedPage,
  type FeedQuery,
  type NewestPositions,
} from '@app/application';

interface Entry {
  readonly storeId: number;
  readonly kind: ChangeKind;
  readonly id: string;
  readonly position: number;
  readonly deleted: boolean;
}

export class InMemoryChangeFeed extends ChangeFeed {
  private readonly entries = new Map<string, Entry>();
  private readonly purged = new Map<number, number>();
  /** Branches, each with the positions of the stores when it began. */
  private readonly branches: { readonly id: string; readonly forks: ReadonlyMap<number, number> }[] = [];

  constructor() {
    super();
    this.beginBranch();
  }

  change(storeId: number, kind: ChangeKind, id: string, deleted = false): void {
    const key = `${storeId} ${kind} ${id}`;
    const position = this.last(storeId, CHANGE_KINDS) + 1;
    this.entries.set(key, { storeId, kind, id, position, deleted });
  }

  /** Forgets the deletions of a store, except the newest change of a kind. */
  purge(storeId: number): void {
    for (const [key, entry] of this.entries) {
      const { kind, position, deleted } = entry;
      if (entry.storeId !== storeId || !deleted || position === this.last(storeId, [kind])) continue;
      this.entries.delete(key);
      this.purged.set(storeId, Math.max(position, this.purged.get(storeId) ?? 0));
    }
  }

  /** Loses the changes after a position, as a restore does. */
  forkAfter(storeId: number, position: number): void {
    for (const [key, entry] of this.entries) {
      if (entry.storeId === storeId && entry.position > position) this.entries.delete(key);
    }
    this.beginBranch();
  }

  override read(storeId: number, query: FeedQuery): Promise<FeedPage> {
    const { kinds, after, limit } = query;
    const branch = this.branches.at(-1)?.id ?? '';
    const own = this.branches.findIndex(({ id }) => id === after?.branch);
    const isLost = ({ forks }: { forks: ReadonlyMap<number, number> }) =>
      (forks.get(storeId) ?? 0) < (after?.position ?? 0);
    if (after && (own < 0 || this.branches.slice(own + 1).some(isLost))) {
      return this.read(storeId, { ...query, after: null }).then((page) => ({ ...page, rewound: true }));
    }
    const purged = this.purged.get(storeId) ?? 0;
    const { position = 0, base = purged } = after ?? {};
    if (purged > Math.max(position, base)) return Promise.reject(new CursorExpired());
    const found = [...this.entries.values()]
      .filter((entry) => entry.storeId === storeId && kinds.includes(entry.kind) && entry.position > position)
      .sort((a, b) => a.position - b.position);
    const changes = found.slice(0, limit);
    const hasMore = found.length > limit;
    const reached = hasMore ? (changes.at(-1)?.position ?? 0) : this.last(storeId, CHANGE_KINDS);
    return Promise.resolve({
      changes: changes.map(({ kind, id }) => ({ kind, id, at: new Date() })),
      next: { branch, position: Math.max(position, reached), base },
      hasMore,
      rewound: false,
    });
  }

  override head(storeId: number, kind: ChangeKind): Promise<FeedHead> {
    const branch = this.branches.at(-1)?.id ?? '';
    return Promise.resolve({ branch, position: this.last(storeId, [kind]) });
  }

  override newest(storeIds: readonly number[]): Promise<NewestPositions> {
    const positions = (storeId: number) =>
      Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, this.last(storeId, [kind])])) as Record<ChangeKind, number>;
    return Promise.resolve(new Map(storeIds.map((storeId) => [storeId, positions(storeId)])));
  }

  private last(storeId: number, kinds: readonly ChangeKind[]): number {
    const own = [...this.entries.values()].filter((entry) => entry.storeId === storeId && kinds.includes(entry.kind));
    return Math.max(0, ...own.map(({ position }) => position));
  }

  private beginBranch(): void {
    const stores = new Set([...this.entries.values()].map(({ storeId }) => storeId));
    const forks = new Map([...stores].map((storeId) => [storeId, this.last(storeId, CHANGE_KINDS)]));
    this.branches.push({ id: `branch ${this.branches.length + 1}`, forks });
  }
}
