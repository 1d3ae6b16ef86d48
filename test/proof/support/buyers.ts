import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { credentialOf } from './credential.js';
import type { Exchange, History } from './history.js';
import type { Random } from './proof.js';
import { oneOf } from './store-setup.js';

export interface RequestOptions {
  readonly method?: string;
  readonly path?: string;
  readonly body?: unknown;
  readonly key?: string | null;
  readonly timeoutMs?: number;
}

interface InsistOptions {
  readonly method?: string;
  readonly path?: string;
  readonly key?: string | null;
  readonly timeoutMs?: number;
  readonly hurry?: boolean;
}

/** Answers that are not the client's fault and that it retries. */
const TRY_AGAIN: ReadonlySet<number | null> = new Set([null, 409, 503]);

export class Buyers {
  /** Keeps as many connections as there are concurrent requests. */
  private readonly agent = new http.Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity });

  constructor(
    /** @see credentialOf */
    private readonly store: { readonly id: number; readonly key: string },
    private readonly history: Pick<History, 'add'>,
    private readonly random: Random,
  ) {}

  async send(service: { readonly url: string }, options: RequestOptions): Promise<Exchange> {
    const { method = 'POST', path = '/v1/orders', key = null, timeoutMs = 30_000 } = options;
    const bytes = bytesOf(options.body);
    const body = bytes?.toString() ?? null;
    const at = Date.now();
    const answer = await this.ask(service.url + path, method, key, bytes, timeoutMs);
    const asked = { storeId: this.store.id, at, service: service.url, method, path, idempotencyKey: key, body };
    const exchange = { ...asked, tookMs: Date.now() - at, ...answer };
    this.history.add(exchange);
    return exchange;
  }

  /** Retries until there is a final answer, each time at any of the services. @throws Error after `timeoutMs`. */
  async insist(
    services: readonly { readonly url: string }[],
    body: unknown,
    { method, path, key = null, timeoutMs = 180_000, hurry = false }: InsistOptions = {},
  ): Promise<Exchange> {
    const giveUpAt = Date.now() + timeoutMs;
    for (;;) {
      const exchange = await this.send(oneOf(services, this.random), { method, path, body, key });
      if (!TRY_AGAIN.has(exchange.status)) return exchange;
      if (Date.now() > giveUpAt) {
        throw new Error(`Still no answer after ${timeoutMs} ms: ${exchange.status ?? exchange.error}`);
      }
      const told = hurry ? 0 : Number(exchange.headers['retry-after'] ?? 0) * 1_000;
      await delay(told + 50 + this.random(200));
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private ask(
    url: string,
    method: string,
    key: string | null,
    body: Buffer | null,
    timeoutMs: number,
  ): Promise<Pick<Exchange, 'status' | 'headers' | 'bytes' | 'error'>> {
    const headers = credentialOf(this.store.key);
    if (key !== null) headers['idempotency-key'] = key;
    if (body !== null) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = String(body.length);
    }
    const { agent } = this;
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      const fail = (error: Error & { code?: string }) => {
        clearTimeout(timer);
        resolve({ status: null, headers: {}, bytes: Buffer.concat(chunks), error: error.code ?? error.message });
      };
      const request = http.request(url, { method, headers, agent }, (response) => {
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          clearTimeout(timer);
          const { statusCode = 0 } = response;
          resolve({ status: statusCode, headers: response.headers, bytes: Buffer.concat(chunks), error: null });
        });
      });
      const timer = setTimeout(() => request.destroy(new Error('timeout')), timeoutMs);
      request.on('error', fail);
      request.end(body ?? undefined);
    });
  }
}

function bytesOf(body: unknown): Buffer | null {
  if (body === undefined) return null;
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}
