import { WebhookSender, type Attempt, type DeliveryPhase, type Receiver } from '@app/application';
import { Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { DEFAULT_CIPHERS } from 'node:tls';
import { failureName } from '../platform/error-code.js';
import { VERSION } from '../platform/version.js';
import { ReachableAddresses } from './reachable-addresses.js';
import { checkWebhookUrl, hostOf, portOf } from './webhook-url.js';

/**
 * Limits each step. The limit of the request includes the answer: a receiver may answer before it has read everything.
 */
const STEP_MS = { address: 5_000, connect: 5_000, tls: 5_000, request: 10_000 };
const TOTAL_MS = 20_000;
/** After this time, the addresses that have arrived are used: some name servers do not answer for IPv6 (RFC 4074). */
const LOOK_UP_MS = 4_500;
/** Node's 250 ms for an address are too short for a lost packet, which is repeated after a second. */
const SEVERAL_ADDRESSES = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1_500 };
/**
 * The limit exists because each address is checked, and DNS may answer with thousands of them for a name that is made
 * to be slow.
 */
const MAX_ADDRESSES_OF_FAMILY = 16;
const ANSWER_BYTES = 4_096;
const MAX_INFORMATIONAL_ANSWERS = 10;
const HEADERS = { 'content-type': 'application/json', 'user-agent': `store-commerce-webhooks/${VERSION}` };

/** Options for tests, and for hosts that only another server knows. */
export interface SenderOptions {
  /** Certificate authorities in addition to Node's own. */
  readonly ca?: string;
  /** DNS servers such as `127.0.0.1:5353`, used instead of those of the system. */
  readonly servers?: readonly string[];
}

type Headers = Readonly<Record<string, string>>;

/** A failure whose code this module defines. */
class SendFailed extends Error {
  constructor(readonly code: 'ADDRESS_NOT_ALLOWED' | 'ENODATA' | 'NO_ANSWER' | 'TIMED_OUT') {
    super();
  }
}

export class HttpsWebhookSender extends WebhookSender {
  private readonly reachable: ReachableAddresses;

  /** @param allowed private networks that may nevertheless be reached, on any port. */
  constructor(
    allowed: readonly string[],
    private readonly options: SenderOptions = {},
  ) {
    super();
    this.reachable = new ReachableAddresses(allowed);
  }

  override check(url: string): void {
    checkWebhookUrl(url, this.reachable);
  }

  override open(url: string): Receiver {
    return new HttpsReceiver(new URL(url), this.reachable, this.options);
  }
}

/** With DHE, the receiver chooses the prime: one of 10,000 bits takes seconds of the event loop in each handshake. */
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`;

class HttpsReceiver implements Receiver {
  private readonly agent: https.Agent;

  constructor(
    private readonly url: URL,
    private readonly reachable: ReachableAddresses,
    private readonly options: SenderOptions,
  ) {
    const { ca } = options;
    this.agent = new https.Agent({ keepAlive: true, rejectUnauthorized: true, ciphers: CIPHERS, ...(ca && { ca }) });
  }

  async post(headers: Headers, body: string): Promise<Attempt> {
    const first = new Exchange();
    const attempt = await this.send(first, headers, body);
    // The receiver closed the connection just as the message was sent: it has not read the message.
    return first.wasReset ? this.send(new Exchange(first.start), headers, body) : attempt;
  }

  close(): void {
    this.agent.destroy();
  }

  private async send(exchange: Exchange, headers: Headers, body: string): Promise<Attempt> {
    const host = hostOf(this.url);
    const port = portOf(this.url);
    // Node does not look up a host that is already an address, so it is checked here.
    if (isIP(host) && !this.reachable.has(host, port)) return exchange.failed(new SendFailed('ADDRESS_NOT_ALLOWED'));
    const request = https.request(this.url, {
      method: 'POST',
      agent: this.agent,
      headers: { ...HEADERS, ...headers, 'content-length': Buffer.byteLength(body) },
      ...SEVERAL_ADDRESSES,
      // The connection uses only the checked addresses, whatever the name resolves to by then.
      lookup: (_host, { all }, callback) => {
        this.addressesOf(host, port).then(
          (found) => {
            if (!exchange.enter('connect')) return;
            if (all) callback(null, found);
            else callback(null, found[0]?.address ?? '', found[0]?.family);
          },
          (error: Error) => callback(error, ''),
        );
      },
    });
    return exchange.run(request, isIP(host) ? 'connect' : 'address', body);
  }

  private async addressesOf(host: string, port: number): Promise<LookupAddress[]> {
    const found = await lookUp(host, this.options.servers);
    // @protects reachable-address
    if (!found.every(({ address }) => this.reachable.has(address, port))) throw new SendFailed('ADDRESS_NOT_ALLOWED');
    return found;
  }
}

/** A request and its answer. */
class Exchange {
  private readonly at = new Date();
  private phase: DeliveryPhase = 'address';
  private request: ClientRequest | undefined;
  private timer: NodeJS.Timeout | undefined;
  private limit = Infinity;
  wasReset = false;

  /** @param start the start of the total time limit. */
  constructor(readonly start = performance.now()) {}

  async run(request: ClientRequest, step: keyof typeof STEP_MS, body: string): Promise<Attempt> {
    this.request = request;
    this.enter(step);
    request.once('socket', (socket) => {
      if (request.reusedSocket) return void this.enter('request');
      socket.once('connect', () => this.enter('tls'));
      socket.once('secureConnect', () => this.enter('request'));
    });
    request.once('finish', () => {
      // The writes may also finish during a handshake, whose phase must stay.
      if (this.phase === 'request') this.phase = 'answer';
    });
    let informational = 0;
    request.on('information', () => {
      if (++informational > MAX_INFORMATIONAL_ANSWERS) request.destroy(new SendFailed('NO_ANSWER'));
    });
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request.once('response', resolve).on('error', reject);
        // Node ends the connection of an answer that switches protocols, and emits neither a response nor an error.
        request.once('close', () => reject(new SendFailed('NO_ANSWER')));
        request.end(body);
      });
      return await this.read(response);
    } catch (error) {
      this.wasReset = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(failureName(error as Error));
      return this.failed(error as Error);
    } finally {
      clearTimeout(this.timer);
    }
  }

  /** Ends the request when its time is over. @returns whether it may continue. */
  enter(step: keyof typeof STEP_MS): boolean {
    const now = performance.now();
    const end = this.start + TOTAL_MS;
    const timeOut = () => void this.request?.destroy(new SendFailed('TIMED_OUT'));
    // After a suspension of the process, events of arrived data run before the timers. Another worker may serve the
    // webhook by then.
    if (now > Math.min(this.limit, end)) timeOut();
    if (this.request?.destroyed) return false;
    this.phase = step;
    this.limit = now + STEP_MS[step];
    clearTimeout(this.timer);
    this.timer = setTimeout(timeOut, Math.min(this.limit, end) - now);
    return true;
  }

  /** @returns an attempt with only the code of the error: its text may contain an address. */
  failed(error: Error): Attempt {
    return { ...this.attempt(failureName(error)), status: null, retryAfterMs: null };
  }

  /** Reads the first 4 kB; a longer answer ends the connection. The status counts even when the answer breaks off. */
  private async read(response: IncomingMessage): Promise<Attempt> {
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= ANSWER_BYTES) break;
      }
    } catch {
      // The receiver is gone, or its time is over.
    }
    this.phase = 'done';
    const { statusCode = 0, headers } = response;
    const retryAfterMs = [429, 503].includes(statusCode) ? retryAfter(headers['retry-after']) : null;
    const answer = printable(Buffer.concat(chunks).subarray(0, ANSWER_BYTES));
    return { ...this.attempt(answer), status: statusCode, retryAfterMs };
  }

  private attempt(answer: string) {
    return { at: this.at, phase: this.phase, durationMs: performance.now() - this.start, answer };
  }
}

/**
 * Queries only DNS: look-ups of the operating system share a few threads with everything that reads files.
 * @returns at most `MAX_ADDRESSES_OF_FAMILY` IPv4 and as many IPv6 addresses.
 */
async function lookUp(host: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), LOOK_UP_MS);
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  clearTimeout(timer);
  const found = [...addressesIn(ipv4, 4), ...addressesIn(ipv6, 6)];
  if (found.length > 0) return found;
  const { code } = (ipv4.status === 'rejected' ? ipv4.reason : {}) as { code?: string };
  if (code === 'ECANCELLED' || code === 'ETIMEOUT') throw new SendFailed('TIMED_OUT');
  throw ipv4.status === 'rejected' ? ipv4.reason : new SendFailed('ENODATA');
}

function addressesIn(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  const addresses = answer.status === 'fulfilled' ? answer.value : [];
  return addresses.slice(0, MAX_ADDRESSES_OF_FAMILY).map((address) => ({ address, family }));
}

/** @param header seconds or a time. @returns milliseconds from now; null for anything else. */
function retryAfter(header = ''): number | null {
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const time = header.endsWith(' GMT') ? Date.parse(header) : NaN;
  return Number.isNaN(time) ? null : Math.max(0, time - new Date().getTime());
}

/**
 * Removes what PostgreSQL cannot store and what a terminal would interpret: invalid bytes, and control characters
 * except line breaks.
 */
function printable(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/[^\P{Cc}\n]|\uFFFD/gu, '');
}
