import { PipelineStages, type NotificationStage, type PipelineStageRecord } from '@app/application';

export type Stage = Pick<PipelineStageRecord, 'state' | 'attempts' | 'lastError'>;

export class InMemoryPipelineStages extends PipelineStages {
  private readonly stages = new Map<string, Stage>();

  set(storeId: number, orderId: string, stage: NotificationStage, value: Stage): void {
    this.stages.set(`${storeId}/${orderId}/${stage}`, value);
  }

  get(storeId: number, orderId: string, stage: NotificationStage): Stage | null {
    return this.stages.get(`${storeId}/${orderId}/${stage}`) ?? null;
  }

  override begin(storeId: number, orderId: string, stage: NotificationStage): Promise<boolean> {
    const found = this.get(storeId, orderId, stage);
    if (found?.state !== 'pending') return Promise.resolve(false);
    return this.change(storeId, orderId, stage, { attempts: found.attempts + 1 }).then(() => true);
  }

  override succeed(storeId: number, orderId: string, stage: NotificationStage): Promise<void> {
    return this.change(storeId, orderId, stage, { state: 'done', lastError: '' });
  }

  override fail(
    storeId: number,
    orderId: string,
    stage: NotificationStage,
    error: Error,
    dead: boolean,
  ): Promise<void> {
    const { code } = error as { code?: unknown };
    const lastError = typeof code === 'string' ? code : error.name;
    return this.change(storeId, orderId, stage, { state: dead ? 'dead' : 'pending', lastError });
  }

  private change(storeId: number, orderId: string, stage: NotificationStage, changes: Partial<Stage>): Promise<void> {
    const found = this.get(storeId, orderId, stage);
    if (found) this.set(storeId, orderId, stage, { ...found, ...changes });
    return Promise.resolve();
  }
}
