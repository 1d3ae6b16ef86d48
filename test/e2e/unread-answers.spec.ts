import { readdirSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '../support/eventually.js';
import { kernelSockets } from '../support/kernel-sockets.js';
import { listen } from '../support/listen.js';
import { sendRaw } from '../support/raw-http.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { openUnread } from '../support/unread-connections.js';

const BUNDLE = '/docs/swagger-ui-bundle.js';
const LARGE = 900_000;
/** Shorter than the real timeout of 15 s. */
const REQUEST_TIMEOUT_MS = 500;
const isLinux = process.platform === 'linux';

describe('unread answers', () => {
  let api: RunningApi;
  let port: number;
  let server: Server;
  let large: string;
  const clients: Socket[] = [];
  const noted: ((request: unknown, response: ServerResponse) => void)[] = [];
  beforeAll(async () => {
    api = await startApi();
    port = await listen(api.app);
    server = api.app.getHttpServer();
    large = `/v1/products/${await api.store.product({ columns: { description: 'x'.repeat(LARGE) } })}`;
  });
  beforeEach(() => void (server.requestTimeout = REQUEST_TIMEOUT_MS));
  afterEach(() => {
    for (const note of noted.splice(0)) server.off('request', note);
    clients.splice(0).forEach((client) => client.destroy());
  });
  afterAll(() => api.stop());

  const ask = (path: string, head = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${head}\r\n`;
  const leaveUnread = async (count: number, bytes: string) => clients.push(...(await openUnread(port, count, bytes)));
  /** Collects the responses that the server creates from now on. */
  const noteResponses = () => {
    const responses: ServerResponse[] = [];
    const note = (_request: unknown, response: ServerResponse) => responses.push(response);
    server.prependListener('request', note);
    noted.push(note);
    return responses;
  };
  const connectionsOf = () => new Promise<number>((resolve) => server.getConnections((_error, n) => resolve(n)));

  (isLinux ? it : it.skip)('leave no descriptor open when the connection closes', async () => {
    const descriptors = () => readdirSync('/proc/self/fd').length;
    const before = descriptors();
    const responses = noteResponses();

    await leaveUnread(10, ask(BUNDLE).repeat(15));
    await eventually(() => expect(new Set(responses.filter(isUnread).map(({ socket }) => socket)).size).toBe(10));
    clients.splice(0).forEach((client) => client.destroy());

    await eventually(async () => expect(await connectionsOf()).toBe(0));
    await eventually(() => expect(descriptors()).toBeLessThanOrEqual(before));
  });

  it('leave nothing in memory when the service closes a connection for too many requests', async () => {
    const responses: WeakRef<ServerResponse>[] = [];
    const note = (_request: unknown, response: ServerResponse) => responses.push(new WeakRef(response));
    server.prependListener('request', note);

    await leaveUnread(5, ask('/health/live').repeat(1_000));
    await eventually(async () => {
      expect(responses.length).toBeGreaterThanOrEqual(5);
      expect(await connectionsOf()).toBe(0);
    });
    server.off('request', note);

    // 16 requests may wait on a connection. The 17th closes it, and the service does not read the rest of the packet.
    expect(responses.length).toBeLessThanOrEqual(5 * 17);
    await eventually(async () => {
      await collectGarbage();
      expect(responses.filter((response) => response.deref()).length).toBeLessThan(10);
    });
  });

  it('are created one at a time on each connection', async () => {
    server.requestTimeout = 60_000;
    const responses = noteResponses();

    await leaveUnread(1, ask(large, `Authorization: Bearer ${api.store.key}\r\n`).repeat(15));
    await eventually(() => expect(responses.filter(isUnread)).not.toEqual([]));
    // A second client reads as many answers. Without the limit, all answers to the first would exist by then.
    for (let n = 0; n < 15; n++) expect((await api.get(large)).statusCode).toBe(200);

    expect(responses).toHaveLength(15);
    const held = responses.filter(({ closed }) => !closed).map(({ writableLength }) => writableLength);
    expect(held.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(1.1 * LARGE);
  });

  (isLinux ? it : it.skip).each([
    ['a keep-alive connection', () => ask(BUNDLE).repeat(5)],
    ['a connection to be closed', () => ask(BUNDLE, 'Connection: close\r\n')],
    ['a connection that ends in garbage', () => `${ask(BUNDLE)}hello there\r\n\r\n`],
  ])(
    'leave nothing in the kernel when the service closes %s',
    async (_name, bytes) => {
      await leaveUnread(5, bytes());
      await eventually(() => expect(kernelSockets(port).unsentBytes).toBeGreaterThan(1_000_000));

      await eventually(() => expect(kernelSockets(port)).toMatchObject({ count: 0, unsentBytes: 0 }));
    },
    60_000,
  );

  it('arrive complete when the client reads late and the connection closes after the answer', async () => {
    const responses = noteResponses();
    const [client] = await openUnread(port, 1, ask(BUNDLE, 'Connection: close\r\n'));
    await eventually(() => expect(responses.map(({ writableEnded }) => writableEnded)).toEqual([true]));

    let length = 0;
    client?.on('data', (chunk) => (length += chunk.length)).resume();
    await new Promise((resolve) => client?.once('close', resolve));

    expect(length).toBeGreaterThan(Number((await api.inject({ url: BUNDLE })).headers['content-length']));
  });

  it('do not prevent answers to other clients', async () => {
    await leaveUnread(50, ask(BUNDLE).repeat(5));

    expect((await sendRaw(port, ask('/health/live'))).status).toBe(200);
  });
});

/** Whether the kernel accepts no more bytes of the response. */
const isUnread = ({ closed, writableLength }: ServerResponse) => !closed && writableLength > 0;

async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
