import { PipelineStages, type ClaimedStage, type PipelineStageRecord } from '@app/application';

type Claim = Pick<ClaimedStage, 'storeId' | 'orderId' | 'stage'>;

export interface Stage extends Pick<PipelineStageRecord, 'state' | 'attempts' | 'lastError'> {
  /** Times relative to now, in milliseconds. */
  readonly dueIn: number;
  readonly lockedFor: number | null;
}

interface Row extends Claim, Pick<PipelineStageRecord, 'state' | 'attempts' | 'lastError'> {
  readonly runAt: number;
  readonly lockedUntil: number | null;
}

export class InMemoryPipelineStages extends PipelineStages {
  private readonly rows = new Map<string, Row>();

  set(claim: Claim, { dueIn, lockedFor, ...stage }: Stage): void {
    const now = Date.now();
    const lockedUntil = lockedFor === null ? null : now + lockedFor;
    this.rows.set(keyOf(claim), { ...claim, ...stage, runAt: now + dueIn, lockedUntil });
  }

  get(claim: Claim): Row | null {
    return this.rows.get(keyOf(claim)) ?? null;
  }

  override claim(most: number, forMs: number): Promise<ClaimedStage[]> {
    const now = Date.now();
    const due = [...this.rows.values()]
      .filter(({ state, runAt, lockedUntil }) => state === 'pending' && runAt <= now && (lockedUntil ?? 0) < now)
      .sort((one, other) => one.runAt - other.runAt)
      .slice(0, most);
    return Promise.resolve(
      due.map((row) => {
        this.rows.set(keyOf(row), { ...row, lockedUntil: now + forMs });
        const { storeId, orderId, stage, attempts, lockedUntil } = row;
        return {
          storeId,
          orderId,
          stage,
          reference: '',
          attempts,
          lockedUntil: new Date(now + forMs),
          takenOver: lockedUntil !== null,
        };
      }),
    );
  }

  override succeed(claim: ClaimedStage): Promise<void> {
    return this.end(claim, { state: 'done', lastError: '' });
  }

  override fail(claim: ClaimedStage, error: Error, retryInMs: number | null): Promise<void> {
    const { code } = error as { code?: unknown };
    const lastError = typeof code === 'string' ? code : error.name;
    const state = retryInMs === null ? 'dead' : 'pending';
    return this.end(claim, { state, lastError, runAt: Date.now() + (retryInMs ?? 0) });
  }

  private end(claim: ClaimedStage, changes: Partial<Row>): Promise<void> {
    const row = this.get(claim);
    if (row?.state === 'pending' && row.lockedUntil === claim.lockedUntil.getTime()) {
      this.rows.set(keyOf(claim), { ...row, attempts: row.attempts + 1, lockedUntil: null, ...changes });
    }
    return Promise.resolve();
  }
}

function keyOf({ storeId, orderId, stage }: Claim): string {
  return `${storeId}/${orderId}/${stage}`;
}
