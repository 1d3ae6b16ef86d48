import {
  AuthenticateApiKey,
  CHANGE_KINDS,
  FeedService,
  CursorInvalid,
  decodeCursor,
  encodeCursor,
  type ApiKeyLookup,
} from '@app/application';
import { toChangeResponse } from '@app/representations';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerKey } from '../access/bearer-key.js';
import { CurrentKey } from '../access/current-store.decorator.js';
import { AuthenticationError, ClientGone } from '../errors/request-errors.js';
import { ReadQuery } from '../query/query.js';
import { Documented } from '../openapi/documented.js';
import { ApiListChanges, CHANGES_DOCUMENTATION } from './feed.openapi.js';
import { CHANGES_QUERY, type ChangesQuery } from './feed.query.js';

@Controller('v1/changes')
@Documented(CHANGES_DOCUMENTATION)
export class FeedController {
  constructor(
    private readonly feed: FeedService,
    private readonly authenticate: AuthenticateApiKey,
  ) {}

  @Get()
  @ApiListChanges
  async list(
    @CurrentKey() key: ApiKeyLookup,
    @ReadQuery(CHANGES_QUERY) { cursor, kinds: requestedKinds, isTest: requestedMode, limit, waitMs }: ChangesQuery,
    @Req() { headers, ip }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const after = cursor === undefined ? null : decodeCursor(cursor, { storeId: key.store.id, mode: key.mode });
    const kinds = requestedKinds ?? after?.kinds ?? CHANGE_KINDS;
    const isTest = requestedMode ?? after?.isTest;
    if (after && (kinds.join() !== after.kinds.join() || isTest !== after.isTest)) throw new CursorInvalid();
    // Requests that may wait must not take the places of short reads.
    const gone = signalOfClose(reply);
    const over = waitMs > 0 ? reply.takeFeedPlace(key.store.id, waitMs) : gone;
    const refusal = async () => {
      const { failure } = await this.authenticate.check(bearerKey(headers.authorization), ip);
      // @protects key-of-wait
      return failure && new AuthenticationError(failure);
    };
    const page = await this.feed.poll(key.store.id, { kinds, isTest, after, limit }, { waitMs, over, gone, refusal });
    return {
      success: true,
      data: page.changes.map((change) => toChangeResponse(change, key.store.currency)),
      cursor: encodeCursor(
        { storeId: key.store.id, mode: key.mode },
        { ...page.next, kinds, hasMore: page.hasMore, isTest },
      ),
      has_more: page.hasMore,
      rewound: page.rewound,
    };
  }
}

function signalOfClose({ raw }: FastifyReply): AbortSignal {
  const closing = new AbortController();
  const close = () => closing.abort(new ClientGone());
  if (raw.destroyed) close();
  // Plugins listen too: together more than Node expects without a leak.
  else raw.setMaxListeners(raw.getMaxListeners() + 1).once('close', close);
  return closing.signal;
}
