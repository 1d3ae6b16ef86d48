import { Readable } from 'node:stream';
import {
  AuthenticateApiKey,
  CHANGE_KINDS,
  ChangesService,
  CursorInvalid,
  decodeCursor,
  encodeCursor,
  MAX_LIMIT,
  type ApiKeyLookup,
  type ChangesPage,
  type FeedQuery,
} from '@app/application';
import { toChangeResponse } from '@app/representations';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerKey } from '../auth/bearer-key.js';
import { CurrentKey } from '../auth/current-store.decorator.js';
import { AuthenticationError } from '../errors/authentication-error.js';
import { ClientGone } from '../errors/client-gone.js';
import { restartPatience } from '../http/server/slow-readers.js';
import { ReadQuery } from '../query/read-query.decorator.js';
import { Documented } from '../openapi/documented.js';
import { ApiListChanges, CHANGES_DOCUMENTATION, type ChangesEnvelope, type FeedProgress } from './changes.openapi.js';
import { CHANGES_QUERY, type ChangesQuery } from './changes.query.js';

const NDJSON = 'application/x-ndjson';

@Controller('v1/changes')
@Documented(CHANGES_DOCUMENTATION)
export class ChangesController {
  constructor(
    private readonly changes: ChangesService,
    private readonly authenticate: AuthenticateApiKey,
  ) {}

  @Get()
  @ApiListChanges()
  async list(
    @CurrentKey() key: ApiKeyLookup,
    @ReadQuery(CHANGES_QUERY) { cursor, kinds: asked, isTest: askedMode, limit, waitMs }: ChangesQuery,
    @Req() { headers, ip }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangesEnvelope | Readable> {
    const streams = prefersLines(headers.accept);
    const after = cursor === undefined ? null : decodeCursor(cursor, { storeId: key.store.id, mode: key.mode });
    const kinds = asked ?? after?.kinds ?? CHANGE_KINDS;
    const isTest = askedMode ?? after?.isTest;
    if (after && (kinds.join() !== after.kinds.join() || isTest !== after.isTest)) throw new CursorInvalid();
    const query = { kinds, isTest, after, limit: streams ? MAX_LIMIT : limit };
    // Streams, and requests that may wait, must not take the places of short reads.
    const gone = signalOfClose(reply);
    const over = streams || waitMs > 0 ? reply.takeFeedPlace(key.store.id, streams ? null : waitMs) : gone;
    const refusal = async () => {
      const { failure } = await this.authenticate.check(bearerKey(headers.authorization), ip);
      return failure && new AuthenticationError(failure);
    };
    const pages = this.changes.follow(key.store.id, query, { waitMs, over, gone, refusal });
    const { value: page } = await pages.next();
    if (!page) throw new Error('The feed has no page');

    if (!streams) {
      const data = page.changes.map((change) => toChangeResponse(change, key.store.currency));
      return { success: true, data, ...progress(page, key, query) };
    }
    reply.header('content-type', `${NDJSON}; charset=utf-8`);
    // Nothing is read ahead: a client that does not read leaves one page in memory.
    return Readable.from(lines(page, pages, key, query, reply), { highWaterMark: 0 });
  }
}

/** All pages, one at a time: the next is read when the client has taken the one before. */
async function* lines(
  first: ChangesPage,
  pages: AsyncIterator<ChangesPage, void>,
  key: ApiKeyLookup,
  query: FeedQuery,
  reply: FastifyReply,
): AsyncGenerator<string> {
  for (let page: ChangesPage | void = first; page;) {
    const changes = page.changes.map((change) => toChangeResponse(change, key.store.currency));
    yield [...changes, progress(page, key, query)].map((line) => `${JSON.stringify(line)}\n`).join('');
    // The last page too has its own time.
    restartPatience(reply.raw);
    page = await nextOf(pages);
  }
}

/** The stream of a key that may not read any more ends after what it was sent; that of a client that is gone, too. */
async function nextOf(pages: AsyncIterator<ChangesPage, void>): Promise<ChangesPage | void> {
  try {
    return (await pages.next()).value;
  } catch (error) {
    if (!(error instanceof AuthenticationError || error instanceof ClientGone)) throw error;
  }
}

/** Aborts when the connection of the answer is closed. */
function signalOfClose({ raw }: FastifyReply): AbortSignal {
  const closing = new AbortController();
  const close = () => closing.abort(new ClientGone());
  if (raw.destroyed) close();
  // Plugins listen too: together more than Node expects without a leak.
  else raw.setMaxListeners(raw.getMaxListeners() + 1).once('close', close);
  return closing.signal;
}

/** The client names lines, and prefers nothing else. A weight of 0 means "not acceptable" (RFC 9110, 12.4.2). */
function prefersLines(accept = ''): boolean {
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(type, weight ? Number(weight.slice(2)) : 1);
  }
  const json = ['application/json', 'application/*', '*/*'].find((type) => weights.has(type)) ?? '';
  const weight = weights.get(NDJSON) ?? 0;
  return weight > 0 && weight >= (weights.get(json) ?? 0);
}

function progress(
  { next, hasMore, rewound }: ChangesPage,
  { store, mode }: ApiKeyLookup,
  { kinds, isTest }: FeedQuery,
): FeedProgress {
  const cursor = encodeCursor({ storeId: store.id, mode }, { ...next, kinds, hasMore, isTest });
  return { cursor, has_more: hasMore, rewound };
}
