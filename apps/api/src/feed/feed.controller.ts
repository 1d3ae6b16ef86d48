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
import { BadRequestException, Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { credentialOf } from '../access/credential.js';
import { CurrentKey } from '../access/current-store.decorator.js';
import { AuthenticationError, ClientGone } from '../errors/request-errors.js';
import { ReadQuery } from '../query/query.js';
import { Documented } from '../openapi/documented.js';
import { ApiListChanges, CHANGES_DOCUMENTATION } from './feed.openapi.js';
import { CHANGES_QUERY, NOW, TWO_STARTS, type ChangesQuery } from './feed.query.js';

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
    @ReadQuery(CHANGES_QUERY) query: ChangesQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { cursor, from, waitMs } = query;
    if (cursor !== undefined && from) throw new BadRequestException(TWO_STARTS);
    const isEnd = cursor === NOW;
    const place =
      cursor === undefined || isEnd ? null : decodeCursor(cursor, { storeId: key.store.id, mode: key.mode });
    const kinds = query.kinds ?? place?.kinds ?? CHANGE_KINDS;
    const isTest = query.isTest ?? place?.isTest;
    if (place && (kinds.join() !== place.kinds.join() || isTest !== place.isTest)) throw new CursorInvalid();
    const after = isEnd ? 'end' : (from ?? place);
    // Changes that arrive after the end was found are not in the answer; it only says that there are some.
    const limit = isEnd ? 0 : query.limit;
    // Requests that may wait must not take the slots of short reads.
    const gone = signalOfClose(reply);
    const over = waitMs > 0 ? reply.takeWaitSlot(key.store.id, waitMs) : gone;
    const refusal = async () => {
      const { failure } = await this.authenticate.check(credentialOf(request), request.ip);
      // These headers describe the accepted key, which the refusal revokes.
      if (failure) reply.removeHeader('x-traffic-mode').removeHeader('x-key-expires-at');
      // @protects key-of-wait
      return failure && new AuthenticationError(failure, key.person !== null);
    };
    const waits = () => request.releaseSlot?.();
    const page = await this.feed.poll(
      key.store.id,
      { kinds, isTest, after, limit },
      { waitMs, over, gone, refusal, waits },
    );
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
  // Plugins listen too, which adds up to more listeners than Node expects without a leak.
  else raw.setMaxListeners(raw.getMaxListeners() + 1).once('close', close);
  return closing.signal;
}
