import type { JsonLogger } from './json-logger.js';

/** Standard output contains only JSON, also when libraries print to the console. */
export function logProcessOutput(logger: JsonLogger): void {
  const firstLine = (message: unknown) => (typeof message === 'string' ? message.split('\n')[0] : message);
  const warn = (message: unknown) => logger.warn(firstLine(message), 'Console');
  const debug = (message: unknown) => logger.debug(firstLine(message), 'Console');
  Object.assign(console, { trace: warn, error: warn, warn, log: debug, info: debug, debug });
  process.removeAllListeners('warning').on('warning', warn);
}
