import type { IncomingMessage, Server } from 'node:http';

/** Header lines of a request. The bytes of a head are limited by Node, to 16 kB. */
export const MAX_HEADER_LINES = 1_000;

/** RFC 9110, section 7.2: a host name or an IP address, and perhaps a port. May be empty. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d{0,5})?$/i;

/** Lets Node hand over one line more than there may be: by default it drops, silently, what comes after the 1,000th. */
export function keepSurplusHeaders(server: Server): void {
  server.maxHeadersCount = MAX_HEADER_LINES + 1;
}

/**
 * What is wrong with the head of a request that Node's parser let pass; `null` when nothing is. Where another server on
 * the way may read the head differently, nobody can say which request it is: the connection ends with its answer.
 */
export function faultOfHead({ httpVersion, headers, rawHeaders }: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'The HTTP version is not supported';
  if (rawHeaders.length > 2 * MAX_HEADER_LINES) return 'The request has too many headers';
  const hosts = hostsIn(rawHeaders);
  if (hosts > 1) return 'Host must be given once';
  if (hosts === 0 && httpVersion === '1.1') return 'The Host header is required';
  if (!HOST.test(headers.host ?? '')) return 'The Host header is malformed';
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return null;
  return httpVersion === '1.1' && coding.toLowerCase() === 'chunked' ? null : 'Transfer-Encoding must be chunked';
}

/** Node drops repetitions; the raw headers, name and value in turn, have them all. */
function hostsIn(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) if (rawHeaders[n]?.toLowerCase() === 'host') count++;
  return count;
}
