import { PipelineStages, type NotificationStage } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { failureName } from './failure-name.js';

@Injectable()
export class PostgresPipelineStages extends PipelineStages {
  constructor(private readonly database: Database) {
    super();
  }

  override async begin(storeId: number, orderId: string, stage: NotificationStage): Promise<boolean> {
    const rows = await this.database.queryPrepared(
      `/* stages.begin */ UPDATE order_stages SET attempts = attempts + 1, updated_at = now()
       WHERE store_id = $1 AND order_id = $2 AND stage = $3 AND state = 'pending' RETURNING 1`,
      [storeId, orderId, stage],
    );
    return rows.length > 0;
  }

  override async succeed(storeId: number, orderId: string, stage: NotificationStage): Promise<void> {
    await this.database.queryPrepared(
      `/* stages.done */ UPDATE order_stages SET state = 'done', last_error = '', updated_at = now()
       WHERE store_id = $1 AND order_id = $2 AND stage = $3`,
      [storeId, orderId, stage],
    );
  }

  override async fail(
    storeId: number,
    orderId: string,
    stage: NotificationStage,
    error: Error,
    dead: boolean,
  ): Promise<void> {
    await this.database.queryPrepared(
      `/* stages.failed */ UPDATE order_stages SET state = $4, last_error = $5, updated_at = now()
       WHERE store_id = $1 AND order_id = $2 AND stage = $3 AND state = 'pending'`,
      [storeId, orderId, stage, dead ? 'dead' : 'pending', failureName(error)],
    );
  }
}
