import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import { errorFields } from './error-fields.js';

/** Nest's account of its own start: of interest to who debugs the wiring only. */
const CHATTER = new Set(['InstanceLoader', 'NestFactory', 'NestApplication', 'RouterExplorer', 'RoutesResolver']);

/**
 * One JSON object a line on standard output. Nest's own messages come through the methods of `LoggerService`;
 * our code that has fields to log uses `write`.
 */
export class JsonLogger implements LoggerService {
  private readonly pino: pino.Logger;

  /** @param destination where to write instead, for tests. */
  constructor(level: string, destination?: pino.DestinationStream) {
    // Asynchronous: a write to a slow terminal or pipe must not hold up requests. What is buffered is flushed at exit.
    const stream = destination ?? pino.destination({ dest: 1, sync: false });
    this.pino = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  }

  /** Logs fields that were chosen one by one; never a header, a body, a key or a personal value. */
  write(level: pino.Level, message: string, fields: Readonly<Record<string, unknown>>): void {
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
}

/** Nest passes the name of the logger last. */
function contextOf(rest: readonly unknown[]): string | undefined {
  const last = rest.at(-1);
  return typeof last === 'string' && !last.includes('\n') ? last : undefined;
}
