import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { ApiKeyLookup, ChangesPage, ChangesService, ChangeWatch } from '@app/application';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hangUpOnSlowReaders } from '../http/server/09-slow-readers.js';
import { ChangesController } from './changes.controller.js';

const KEY = { store: { id: 1, currency: 'USD' }, mode: 'live' } as unknown as ApiKeyLookup;
const QUERY = { cursor: undefined, kinds: undefined, limit: 100, waitMs: 0 };
const NEXT = { branch: '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f', position: 1, base: 0 };
const REQUEST = { headers: { accept: 'application/x-ndjson' } } as FastifyRequest;
const REQUEST_TIMEOUT = 15_000;

describe('the slow reader of a stream of changes', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** A stream of this many pages, to a client that takes a page with `takePage`. */
  const aStream = async (pages: number) => {
    const socket = new PassThrough();
    const raw = Object.assign(new EventEmitter(), { headersSent: true, req: { socket } }) as unknown as ServerResponse;
    const server = Object.assign(new EventEmitter(), { requestTimeout: REQUEST_TIMEOUT }) as unknown as Server;
    hangUpOnSlowReaders(() => undefined, server)({} as IncomingMessage, raw);
    const page = (): ChangesPage => ({ changes: [], next: NEXT, hasMore: --pages > 0, rewound: false });
    const changes = { read: () => Promise.resolve(page()) } as unknown as ChangesService;
    const controller = new ChangesController(changes, { isClosed: false } as ChangeWatch);
    const reply = { raw, header: () => undefined, hold: () => new AbortController().signal };
    const stream = (await controller.list(KEY, QUERY, REQUEST, reply as unknown as FastifyReply)) as Readable;
    const takePage = async () => {
      await jest.advanceTimersByTimeAsync(0);
      expect(stream.read()).not.toBeNull();
      await jest.advanceTimersByTimeAsync(0);
    };
    stream.read(0);
    return { socket, takePage };
  };

  it('keeps its connection when it takes each page in time, the last one too', async () => {
    const { socket, takePage } = await aStream(4);

    for (let page = 1; page <= 4; page++) {
      await takePage();
      await jest.advanceTimersByTimeAsync(REQUEST_TIMEOUT);
    }

    expect(socket.destroyed).toBe(false);
  });

  it('loses its connection when it leaves a page', async () => {
    const { socket, takePage } = await aStream(4);
    await takePage();

    await jest.advanceTimersByTimeAsync(REQUEST_TIMEOUT + 4_000);

    expect(socket.destroyed).toBe(true);
  });
});
