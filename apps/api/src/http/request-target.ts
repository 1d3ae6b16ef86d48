import { isUtf8 } from 'node:buffer';

/** Runs of encoded bytes, and runs of `%` that begin none. */
const PERCENT_RUNS = /(?:%[0-9a-f]{2})+|(?:%(?![0-9a-f]{2}))+/gi;

/**
 * The request target as the router, the early authentication and the handlers are to see it: without scheme and
 * authority, and with every `%` that cannot be decoded spelled `%25`. The router refuses such paths before any hook
 * runs, so a request without a key would be told that instead of 401.
 */
export function routableTarget(target: string): string {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^(?=[?#]|$)/, '/');
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes('%')) return url;
  const repaired = path.replace(PERCENT_RUNS, (run) => (isDecodable(run) ? run : run.replaceAll('%', '%25')));
  return end < 0 ? repaired : repaired + url.slice(end);
}

/** Asks for no exception: 16,000 of them, one per `%`, would keep every other request waiting for 80 ms. */
function isDecodable(run: string): boolean {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  return bytes.length > 0 && isUtf8(bytes);
}
