import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import { errorFields, type ErrorFields } from './error-fields.js';
import { prettyLine } from './pretty-lines.js';

/** Nest's account of its own start: of interest to who debugs the wiring only. */
const CHATTER = new Set(['InstanceLoader', 'NestFactory', 'NestApplication', 'RouterExplorer', 'RoutesResolver']);

/** Collects lines for as long as this, or up to this many bytes: not each is a write of its own. */
const FLUSH_MS = 100;
const FLUSH_BYTES = 8_192;

/** Kept while standard output is not read, in bytes: some thousands of lines. What is logged then is dropped and counted. */
const BUFFER_BYTES = 4 << 20;

/** All that a line may say besides its message: whoever needs another field has to add it here. */
export interface LogFields {
  readonly request_id?: string;
  readonly method?: string;
  /** The pattern, never the path. */
  readonly route?: string;
  readonly status?: number;
  readonly duration_ms?: number;
  readonly store_id?: number;
  readonly key_id?: string;
  readonly mode?: 'live' | 'test';
  readonly order_id?: string;
  /** Of an order's pipeline. */
  readonly stage?: string;
  readonly attempt?: number;
  readonly outcome?: string;
  readonly error?: Partial<ErrorFields>;
}

/**
 * One JSON object a line on standard output; on a terminal, a line for people. Nest's own messages come through the methods of `LoggerService`;
 * our code that has fields to log uses `write`.
 */
export class JsonLogger implements LoggerService {
  private readonly pino: pino.Logger;
  private dropped = 0;
  private reported = 0;

  /** @param destination where to write instead, for tests. */
  constructor(level: string, destination?: pino.DestinationStream) {
    const stream = destination ?? this.standardOutput();
    this.pino = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  }

  /** Lines that were lost since the start because standard output was not read. */
  get droppedLines(): number {
    return this.dropped;
  }

  /** Logs fields that were chosen one by one; never a header, a body, a key or a personal value. */
  write(level: pino.Level, message: string, fields: LogFields): void {
    this.pino[level](fields, message);
  }

  log(message: unknown, ...rest: unknown[]): void {
    const context = contextOf(rest);
    this.put(context !== undefined && CHATTER.has(context) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.put('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.put('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.put('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.put('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.put('fatal', message, rest);
  }

  private put(level: pino.Level, message: unknown, rest: readonly unknown[]): void {
    const context = contextOf(rest);
    const error = [message, ...rest].find((part) => part instanceof Error);
    const fields = error && errorFields(error);
    const text = typeof message === 'string' ? message : (fields?.message ?? fields?.type ?? 'An object was logged');
    this.pino[level]({ ...(context && { context }), ...(fields && { error: fields }) }, text);
  }

  private standardOutput(): pino.DestinationStream {
    if (process.stdout.isTTY) return { write: (line) => void process.stdout.write(prettyLine(line)) };
    // Asynchronous: a write to a slow pipe must not hold up requests. What was collected is written when the process exits,
    // and at once after a fatal line.
    const options = { minLength: FLUSH_BYTES, periodicFlush: FLUSH_MS, maxLength: BUFFER_BYTES };
    const stream = pino.destination({ dest: 1, sync: false, ...options });
    stream.on('drop', () => this.dropped++);
    stream.on('drain', () => this.reportDropped());
    return stream;
  }

  private reportDropped(): void {
    const lines = this.dropped - this.reported;
    if (lines === 0) return;
    this.reported = this.dropped;
    this.warn(`${lines} log lines were dropped while standard output was not read`);
  }
}

/** Nest passes the name of the logger last. */
function contextOf(rest: readonly unknown[]): string | undefined {
  const last = rest.at(-1);
  return typeof last === 'string' && !last.includes('\n') ? last : undefined;
}
