import { Readable } from 'node:stream';
import {
  CHANGE_KINDS,
  ChangesService,
  ChangeWatch,
  CursorInvalid,
  Deadline,
  MAX_LIMIT,
  type ApiKeyLookup,
  type ChangesPage,
  type FeedQuery,
} from '@app/application';
import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequiresKeyGuard } from '../auth/requires-key.guard.js';
import { CurrentKey } from '../auth/current-store.decorator.js';
import { restartPatience } from '../http/server/09-slow-readers.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import { toChangeResponse } from './change.response.js';
import type { ChangesEnvelope, FeedProgress } from './changes-envelope.js';
import { ApiListChanges, CHANGES_DOCUMENTATION } from './changes.openapi.js';
import { readChangesQuery, type ChangesQuery } from './changes.query.js';
import { decodeCursor, encodeCursor } from './cursor.js';

const NDJSON = 'application/x-ndjson';

@Controller('v1/changes')
@ApiTags(CHANGES_DOCUMENTATION.tag)
@UseGuards(RequiresKeyGuard)
export class ChangesController {
  constructor(
    private readonly changes: ChangesService,
    private readonly watch: ChangeWatch,
  ) {}

  @Get()
  @ApiListChanges()
  async list(
    @CurrentKey() key: ApiKeyLookup,
    @ReadQuery(readChangesQuery) { cursor, kinds: asked, limit, waitMs }: ChangesQuery,
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangesEnvelope | Readable> {
    const streams = String(headers.accept).toLowerCase().includes(NDJSON);
    const after = cursor === undefined ? null : decodeCursor(cursor, { storeId: key.store.id, mode: key.mode });
    const kinds = asked ?? after?.kinds ?? CHANGE_KINDS;
    if (after && kinds.join() !== after.kinds.join()) throw new CursorInvalid();
    const query = { kinds, after, limit: streams ? MAX_LIMIT : limit };
    // Streams, and requests that may wait, must not take the places of short reads.
    const gone = streams || waitMs > 0 ? reply.hold(key.store.id, streams ? null : waitMs) : null;
    let page = await this.changes.read(key.store.id, query);
    if (gone) page = await this.awaited(page, key.store.id, query, waitMs, gone);

    if (!streams) {
      const data = page.changes.map((change) => toChangeResponse(change, key.store.currency));
      return { success: true, data, ...progress(page, key, query) };
    }
    reply.header('content-type', `${NDJSON}; charset=utf-8`);
    return Readable.from(this.lines(page, key, query, reply), { highWaterMark: 1 });
  }

  /** Holds an answer without changes until there is one, or the time is over. */
  private async awaited(
    first: ChangesPage,
    storeId: number,
    query: FeedQuery,
    waitMs: number,
    gone: AbortSignal,
  ): Promise<ChangesPage> {
    const deadline = Deadline.in(waitMs);
    let page = first;
    while (page.changes.length === 0 && !page.hasMore && !page.rewound && deadline.remainingMs > 0) {
      const watched = { storeId, kinds: query.kinds, position: page.next.position };
      if (!(await this.watch.wait(watched, deadline.remainingMs, gone))) break;
      page = await this.changes.read(storeId, { ...query, after: page.next });
    }
    return page;
  }

  /** All pages, one at a time: the next is read when the client has taken the one before. */
  private async *lines(
    first: ChangesPage,
    key: ApiKeyLookup,
    query: FeedQuery,
    reply: FastifyReply,
  ): AsyncGenerator<string> {
    for (let page = first; ;) {
      const changes = page.changes.map((change) => toChangeResponse(change, key.store.currency));
      yield [...changes, progress(page, key, query)].map((line) => `${JSON.stringify(line)}\n`).join('');
      // The last page too has its own time.
      restartPatience(reply.raw);
      if (!page.hasMore || this.watch.isClosed) return;
      page = await this.changes.read(key.store.id, { ...query, after: page.next, bulk: true });
    }
  }
}

function progress(
  { next, hasMore, rewound }: ChangesPage,
  { store, mode }: ApiKeyLookup,
  { kinds }: FeedQuery,
): FeedProgress {
  const cursor = encodeCursor({ storeId: store.id, mode }, { ...next, kinds });
  return { cursor, has_more: hasMore, rewound };
}
