import { Semaphore, TURN_MS } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config.js';

/** The share of the pool. */
const TURNS = 0.4;
const TURNS_OF_STORE = 2;

/** Changes of many rows take their turns. Without them, those of one store would hold all connections. */
@Injectable()
export class BulkTurns extends Semaphore {
  constructor({ databasePoolSize }: Config) {
    super(() => Math.max(1, Math.floor(databasePoolSize * TURNS)), TURN_MS, TURNS_OF_STORE);
  }
}
