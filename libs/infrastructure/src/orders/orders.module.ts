import {
  HeldOrders,
  OrderLifecycle,
  OrderPlacement,
  OrderRepository,
  PipelineStages,
  StageRetries,
} from '@app/application';
import { Module } from '@nestjs/common';
import { PostgresHeldOrders } from './postgres-held-orders.js';
import { PostgresOrderLifecycle } from './postgres-order-lifecycle.js';
import { PostgresOrderPlacement } from './postgres-order-placement.js';
import { PostgresOrderRepository } from './postgres-order.repository.js';
import { PostgresPipelineStages } from './postgres-pipeline-stages.js';
import { PostgresStageRetries } from './postgres-stage-retries.js';

@Module({
  providers: [
    { provide: HeldOrders, useClass: PostgresHeldOrders },
    { provide: OrderLifecycle, useClass: PostgresOrderLifecycle },
    { provide: OrderPlacement, useClass: PostgresOrderPlacement },
    { provide: OrderRepository, useClass: PostgresOrderRepository },
    { provide: PipelineStages, useClass: PostgresPipelineStages },
    { provide: StageRetries, useClass: PostgresStageRetries },
  ],
  exports: [HeldOrders, OrderLifecycle, OrderPlacement, OrderRepository, PipelineStages, StageRetries],
})
export class OrdersModule {}
