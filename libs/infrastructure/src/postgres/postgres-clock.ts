import { Clock } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Database } from './database.js';

@Injectable()
export class PostgresClock extends Clock {
  constructor(private readonly database: Database) {
    super();
  }

  override async now(): Promise<Date> {
    const [row] = await this.database.queryPrepared<{ now: Date }>(
      '/* clock.now */ SELECT clock_timestamp() AS now',
      [],
    );
    return (row as { now: Date }).now;
  }
}
