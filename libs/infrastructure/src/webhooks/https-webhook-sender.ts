import { WebhookSender, type Attempt, type DeliveryPhase, type Receiver } from '@app/application';
import { Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { failureName } from '../platform/failure-name.js';
import { VERSION } from '../platform/version.js';
import { ReachableAddresses } from './reachable-addresses.js';
import { checkWebhookUrl, hostOf, portOf } from './webhook-url.js';

/** Of the look-up, the connection and the TLS handshake, each. */
const STEP_MS = 5_000;
/** Of one address before the next is tried. Node's 250 ms are too few for a packet that is lost: it is repeated after a second. */
const ADDRESS_MS = 1_500;
/**
 * How long the addresses of one family wait for those of the other: some name servers do not answer for IPv6 (RFC 4074).
 * A question whose packet is lost is repeated after two or three seconds.
 */
const OTHER_FAMILY_MS = 2_500;
/** Of the time limit of the look-up, for the use of what has been found. */
const RESERVE_MS = 500;
/** Of the request and its answer together. */
const ANSWER_MS = 10_000;
const TOTAL_MS = 20_000;
const ANSWER_BYTES = 4_096;
/** Informational answers (1xx) before the answer. */
const MOST_ANNOUNCED = 10;
const HEADERS = { 'content-type': 'application/json', 'user-agent': `store-commerce-webhooks/${VERSION}` };
const ASKS_TO_WAIT = [429, 503];
/** Of a connection that the other side has closed. */
const CLOSED = ['ECONNRESET', 'EPIPE'];

/** For tests, and for hosts that only another server knows. */
export interface SenderOptions {
  /** Certificate authorities beside those of Node. */
  readonly ca?: string;
  /** DNS servers as `127.0.0.1:5353`, in the place of those of the system. */
  readonly servers?: readonly string[];
}

/** Sends messages by HTTPS, to addresses that it has checked. */
export class HttpsWebhookSender extends WebhookSender {
  private readonly reachable: ReachableAddresses;

  /** @param allowed networks that may be reached on any port although they are private. */
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

class HttpsReceiver implements Receiver {
  private readonly agent: https.Agent;

  constructor(
    private readonly url: URL,
    private readonly reachable: ReachableAddresses,
    private readonly options: SenderOptions,
  ) {
    const { ca } = options;
    this.agent = new https.Agent({ keepAlive: true, rejectUnauthorized: true, ...(ca && { ca }) });
  }

  async post(headers: Readonly<Record<string, string>>, body: string): Promise<Attempt> {
    const first = new Exchange();
    const attempt = await this.send(first, headers, body);
    // The receiver closed the connection at the moment in which the message was sent: it has not read it.
    return first.hasMetClosing ? this.send(new Exchange(first.start), headers, body) : attempt;
  }

  close(): void {
    this.agent.destroy();
  }

  private async send(exchange: Exchange, headers: Readonly<Record<string, string>>, body: string): Promise<Attempt> {
    try {
      const [host, port] = [hostOf(this.url), portOf(this.url)];
      // Node looks up names only.
      if (isIP(host) && !this.reachable.has(host, port)) throw new NotReachable();
      return await exchange.run(this.url, () => this.addressesOf(host, port), {
        agent: this.agent,
        headers: { ...HEADERS, ...headers, 'content-length': Buffer.byteLength(body) },
        body,
      });
    } catch (error) {
      return exchange.failed(error as Error);
    }
  }

  /** For a new connection. @throws NotReachable unless all of them may be reached. */
  private async addressesOf(host: string, port: number): Promise<LookupAddress[]> {
    const found = await lookUp(host, this.options.servers);
    // @protects reachable-address
    if (!found.every(({ address }) => this.reachable.has(address, port))) throw new NotReachable();
    return found;
  }
}

/** The host has an address that no webhook may reach. */
class NotReachable extends Error {
  readonly code = 'ADDRESS_NOT_ALLOWED';
}

class NoAddress extends Error {
  readonly code = 'ENODATA';
}

class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';
}

class TimedOut extends Error {
  readonly code = 'TIMED_OUT';
}

interface Sent {
  readonly agent: https.Agent;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** One request and its answer, with the time limits of its steps. */
class Exchange {
  private readonly at = new Date();
  private phase: DeliveryPhase = 'address';
  hasMetClosing = false;

  /** @param start of the time limit. */
  constructor(readonly start = performance.now()) {}

  run(url: URL, addresses: () => Promise<LookupAddress[]>, { body, ...options }: Sent): Promise<Attempt> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout;
      let limit = Infinity;
      const timeOut = () => request.destroy(new TimedOut());
      const enter = (phase: DeliveryPhase, limitMs: number) => {
        // A process that was suspended sees what has arrived before the timers that are over. Another worker may have gone on.
        if (performance.now() > Math.min(limit, this.start + TOTAL_MS)) return timeOut();
        this.phase = phase;
        clearTimeout(timer);
        limit = performance.now() + limitMs;
        timer = setTimeout(timeOut, Math.min(limitMs, this.start + TOTAL_MS - performance.now()));
      };
      // Connects to these addresses only, whatever the name means by then.
      const lookup: LookupFunction = (_host, { all }, callback) => {
        addresses().then(
          (found) => {
            if (request.destroyed) return;
            enter('connect', STEP_MS);
            if (request.destroyed) return;
            if (all) callback(null, found);
            else callback(null, found[0]?.address ?? '', found[0]?.family);
          },
          (error: Error) => callback(error, ''),
        );
      };
      const several = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: ADDRESS_MS };
      const request = https.request(url, { ...options, ...several, lookup, method: 'POST' });
      enter(isIP(hostOf(url)) ? 'connect' : 'address', STEP_MS);
      request.once('socket', (socket) => {
        if (request.reusedSocket) return enter('request', ANSWER_MS);
        socket.once('connect', () => enter('tls', STEP_MS));
        socket.once('secureConnect', () => enter('request', ANSWER_MS));
      });
      // The time limit of the answer is that of the request: a receiver may answer before it has read all.
      request.once('finish', () => {
        // Not the phase of a handshake that ends all that was written.
        if (this.phase === 'request') this.phase = 'answer';
      });
      let announced = 0;
      request.on('information', () => {
        if (++announced > MOST_ANNOUNCED) request.destroy(new NoAnswer());
      });
      let isAnswered = false;
      request.once('response', (response) => {
        isAnswered = true;
        void this.read(response).then((attempt) => {
          clearTimeout(timer);
          resolve(attempt);
        });
      });
      request.once('error', (error) => {
        if (isAnswered) return;
        clearTimeout(timer);
        this.hasMetClosing = request.reusedSocket && CLOSED.includes(failureName(error));
        reject(error);
      });
      // Without an answer or an error: one that switches protocols, for which Node ends the connection.
      request.once('close', () => {
        if (isAnswered) return;
        clearTimeout(timer);
        reject(new NoAnswer());
      });
      request.end(body);
    });
  }

  /** @returns with the code of the error: its text may name an address. */
  failed(error: Error): Attempt {
    return { ...this.attempt(failureName(error)), status: null, retryAfterMs: null };
  }

  /** Reads the first 4 kB. A longer answer ends the connection. The status counts, also of an answer that breaks off. */
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
    const retryAfterMs = ASKS_TO_WAIT.includes(statusCode) ? retryAfter(headers['retry-after']) : null;
    const answer = printable(Buffer.concat(chunks).subarray(0, ANSWER_BYTES));
    return { ...this.attempt(answer), status: statusCode, retryAfterMs };
  }

  private attempt(answer: string) {
    return { at: this.at, phase: this.phase, durationMs: performance.now() - this.start, answer };
  }
}

/** By DNS alone: look-ups of the operating system share a few threads with everything that reads files. */
async function lookUp(host: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  const latest = performance.now() + STEP_MS - RESERVE_MS;
  const lookUps = [resolver.resolve4(host), resolver.resolve6(host)];
  const cancelAfter = (milliseconds: number) => setTimeout(() => resolver.cancel(), milliseconds);
  let timer = cancelAfter(STEP_MS);
  const wait = () => {
    clearTimeout(timer);
    timer = cancelAfter(Math.min(OTHER_FAMILY_MS, latest - performance.now()));
  };
  await Promise.any(lookUps).then(wait, () => undefined);
  const answers = await Promise.allSettled(lookUps);
  clearTimeout(timer);
  const found = answers.flatMap((answer, index) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
  );
  const failure = answers.find((answer) => answer.status === 'rejected');
  if (found.length === 0) throw failure?.reason ?? new NoAddress();
  return found;
}

/** Seconds, or a time. @returns milliseconds from now; null when the header tells neither. */
function retryAfter(header = ''): number | null {
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const time = header.endsWith(' GMT') ? Date.parse(header) : NaN;
  return Number.isNaN(time) ? null : Math.max(0, time - new Date().getTime());
}

/** As PostgreSQL stores and a terminal shows it: no byte that is no character, and no control character but line breaks. */
function printable(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/[^\P{Cc}\n]|\uFFFD/gu, '');
}
