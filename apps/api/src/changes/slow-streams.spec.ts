import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import {
  ChangesService,
  type ApiKeyLookup,
  type AuthenticateApiKey,
  type ChangeFeed,
  type ChangeWatch,
} from '@app/application';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hangUpOnSlowReaders } from '../http/server/slow-readers.js';
import { ChangesController } from './changes.controller.js';

const KEY = { store: { id: 1, currency: 'USD' }, mode: 'live' } as unknown as ApiKeyLookup;
const QUERY = { cursor: undefined, kinds: undefined, isTest: undefined, limit: 100, waitMs: 0 };
const NEXT = { branch: '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f', position: 1, base: 0 };
const REQUEST = { headers: { accept: 'application/x-ndjson' } } as FastifyRequest;
const REQUEST_TIMEOUT = 15_000;

describe('a stream of changes', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** A stream of this many pages, to a client that takes a page with `takePage`. */
  const aStream = async (pages: number) => {
    const socket = new PassThrough();
    const raw = Object.assign(new EventEmitter(), { headersSent: true, req: { socket } }) as unknown as ServerResponse;
    const server = Object.assign(new EventEmitter(), { requestTimeout: REQUEST_TIMEOUT }) as unknown as Server;
    hangUpOnSlowReaders(() => undefined, server)({} as IncomingMessage, raw);
    let reads = 0;
    const read = () => Promise.resolve({ changes: [], next: NEXT, hasMore: ++reads < pages, rewound: false });
    const feed = { read } as unknown as ChangeFeed;
    const changes = new ChangesService(feed, {} as never, { isClosed: false } as ChangeWatch);
    const controller = new ChangesController(changes, {
      check: () => ({ failure: null }),
    } as unknown as AuthenticateApiKey);
    const reply = { raw, header: () => undefined, takeFeedPlace: () => new AbortController().signal };
    const stream = (await controller.list(KEY, QUERY, REQUEST, reply as unknown as FastifyReply)) as Readable;
    const takePage = async () => {
      stream.read(0);
      await jest.advanceTimersByTimeAsync(0);
      const page = stream.read() as string | null;
      // The client has taken it: the stream goes on.
      stream.read(0);
      await jest.advanceTimersByTimeAsync(0);
      return page;
    };
    return { socket, stream, takePage };
  };

  it('keeps the connection of a client that takes each page in time, the last one too', async () => {
    const { socket, takePage } = await aStream(4);

    for (let page = 1; page <= 4; page++) {
      expect(await takePage()).not.toBeNull();
      await jest.advanceTimersByTimeAsync(REQUEST_TIMEOUT);
    }

    expect(socket.destroyed).toBe(false);
  });

  it('loses the connection of a client that leaves a page', async () => {
    const { socket, takePage } = await aStream(4);
    await takePage();

    await jest.advanceTimersByTimeAsync(REQUEST_TIMEOUT + 4_000);

    expect(socket.destroyed).toBe(true);
  });

  it('ends after five minutes with a cursor that continues', async () => {
    const { takePage, stream } = await aStream(Infinity);
    for (let minute = 1; minute <= 5 * 6; minute++) {
      expect(await takePage()).toContain('"has_more":true');
      await jest.advanceTimersByTimeAsync(10_000);
    }

    expect(await takePage()).toContain('"has_more":true');
    await takePage();

    expect(stream.readableEnded).toBe(true);
  });
});
