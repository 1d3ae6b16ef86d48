import { Module } from '@nestjs/common';
import { OrderChangesController } from './order-changes.controller.js';
import { OrdersController } from './orders.controller.js';

@Module({ controllers: [OrdersController, OrderChangesController] })
export class OrdersModule {}
