import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import { errorFields, type ErrorFields } from './error-fields.js';
import { prettyLine } from './pretty-lines.js';

const DEBUG_CONTEXTS = new Set([
  'InstanceLoader',
  'NestFactory',
  'NestApplication',
  'RouterExplorer',
  'RoutesResolver',
]);

const FLUSH_MS = 100;
const FLUSH_BYTES = 8_192;

/** How much is buffered while nothing reads standard output. */
const BUFFER_BYTES = 4 << 20;

/** The only fields that a line may have in addition to its message. */
export interface LogFields {
  readonly request_id?: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly duration_ms?: number;
  readonly store_id?: number;
  readonly key_id?: string;
  readonly mode?: 'live' | 'test';
  readonly actor_type?: string;
  readonly actor_id?: string;
  readonly order_id?: string;
  readonly stage?: string;
  readonly attempt?: number;
  readonly outcome?: string;
  readonly error?: Partial<ErrorFields>;
}

/** Writes JSON lines, or readable lines on a terminal. */
export class JsonLogger implements LoggerService {
  readonly error = this.at('error');
  readonly warn = this.at('warn');
  readonly debug = this.at('debug');
  readonly verbose = this.at('trace');
  readonly fatal = this.at('fatal');

  private readonly pino: pino.Logger;
  private readonly collected: ReturnType<typeof pino.destination> | null = null;
  private dropped = 0;
  private reported = 0;

  constructor(level: string, destination?: pino.DestinationStream) {
    if (!destination && !process.stdout.isTTY) this.collected = this.collectingOutput();
    const stream = destination ?? this.collected ?? { write: (line) => void process.stdout.write(prettyLine(line)) };
    this.pino = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  }

  get droppedLines(): number {
    return this.dropped;
  }

  /** @param fields must be chosen one by one; never a header, a body, a key or a personal value. */
  write(level: pino.Level, message: string, fields: LogFields): void {
    this.pino[level](fields, message);
  }

  log(message: unknown, ...rest: unknown[]): void {
    const context = contextOf(rest);
    this.put(context !== undefined && DEBUG_CONTEXTS.has(context) ? 'debug' : 'info', message, rest);
  }

  /** Writes the buffered lines. Without a time limit, an orderly exit would hang on a pipe without a reader. */
  async flush(): Promise<void> {
    await new Promise<void>((resolve) => (this.collected ? this.collected.flush(() => resolve()) : resolve()));
  }

  private at(level: pino.Level) {
    return (message: unknown, ...rest: unknown[]): void => this.put(level, message, rest);
  }

  private put(level: pino.Level, message: unknown, rest: readonly unknown[]): void {
    const context = contextOf(rest);
    const error = [message, ...rest].find((part) => part instanceof Error);
    const fields = error && errorFields(error);
    const text = typeof message === 'string' ? message : (fields?.message ?? fields?.type ?? 'An object was logged');
    this.pino[level]({ ...(context && { context }), ...(fields && { error: fields }) }, text);
  }

  /** Writes asynchronously, because a slow pipe must not delay requests. An exit and a fatal line flush the buffer. */
  private collectingOutput(): ReturnType<typeof pino.destination> {
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

function contextOf(rest: readonly unknown[]): string | undefined {
  const last = rest.at(-1);
  return typeof last === 'string' && !last.includes('\n') ? last : undefined;
}

/** Keeps standard output free of anything but JSON, even when libraries print to the console. */
export function logProcessOutput(logger: JsonLogger): void {
  const firstLine = (message: unknown) => (typeof message === 'string' ? message.split('\n')[0] : message);
  const warn = (message: unknown) => logger.warn(firstLine(message), 'Console');
  const debug = (message: unknown) => logger.debug(firstLine(message), 'Console');
  Object.assign(console, { trace: warn, error: warn, warn, log: debug, info: debug, debug });
  process.removeAllListeners('warning').on('warning', warn);
}
