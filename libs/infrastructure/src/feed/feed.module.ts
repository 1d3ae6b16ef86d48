import { ChangeFeed } from '@app/application';
import { Module } from '@nestjs/common';
import { PostgresChangeFeed } from './postgres-change-feed.js';

@Module({
  providers: [{ provide: ChangeFeed, useClass: PostgresChangeFeed }],
  exports: [ChangeFeed],
})
export class FeedModule {}
