import { PipelineStages, type ClaimedStage, type PipelineStageRecord } from '@app/application';

type Claim = Pick<ClaimedStage, 'storeId' | 'orderId' | 'stage'>;

export interface Stage extends Pick<PipelineStageRecord, 'state' | 'attempts' | 'lastError'> {
  /** False where absent. */
  readonly isSetAside?: boolean;
  /** Times relative to now, in milliseconds. */
  readonly dueIn: number;
  readonly lockedFor: number | null;
}

interface Row extends Claim, Pick<PipelineStageRecord, 'state' | 'attempts' | 'lastError'> {
  readonly isSetAside: boolean;
  readonly runAt: number;
  readonly lockedUntil: number | null;
}

export class InMemoryPipelineStages extends PipelineStages {
  private readonly rows = new Map<string, Row>();

  set(claim: Claim, { dueIn, lockedFor, isSetAside = false, ...stage }: Stage): void {
    const now = Date.now();
    const lockedUntil = lockedFor === null ? null : now + lockedFor;
    this.rows.set(keyOf(claim), { ...claim, ...stage, isSetAside, runAt: now + dueIn, lockedUntil });
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
    const state = retryInMs === null ? 'dead' : 'pending';
    return this.end(claim, { state, lastError: nameOf(error), runAt: Date.now() + (retryInMs ?? 0) });
  }

  override setAside(claim: ClaimedStage, error: Error): Promise<void> {
    return this.end(claim, { state: 'dead', isSetAside: true, lastError: nameOf(error) });
  }

  private end(claim: ClaimedStage, changes: Partial<Row>): Promise<void> {
    const row = this.get(claim);
    if (row?.state === 'pending' && row.lockedUntil === claim.lockedUntil.getTime()) {
      this.rows.set(keyOf(claim), { ...row, attempts: row.attempts + 1, lockedUntil: null, ...changes });
    }
    return Promise.resolve();
  }
}

function nameOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}

function keyOf({ storeId, orderId, stage }: Claim): string {
  return `${storeId}/${orderId}/${stage}`;
}
