import type { IncomingMessage } from 'node:http';
import { linesNamed } from '../../header-lines.js';

/** As in Apache (LimitRequestFields). */
export const MAX_HEADER_LINES = 100;

/** RFC 9110, section 7.2: a host name or an IP address, with an optional port. May be empty. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d{0,5})?$/i;

/**
 * Checks what Node's parser accepts and another server on the way may read differently. After a fault, the next request
 * on the connection cannot be trusted.
 */
export function faultOfHead({ httpVersion, headers, rawHeaders }: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'The HTTP version is not supported';
  if (rawHeaders.length > 2 * MAX_HEADER_LINES) return 'The request has too many headers';
  const hosts = linesNamed('host', rawHeaders);
  if (hosts > 1) return 'Host must be given once';
  if (hosts === 0 && httpVersion === '1.1') return 'The Host header is required';
  if (!HOST.test(headers.host ?? '')) return 'The Host header is malformed';
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return null;
  return httpVersion === '1.1' && coding.toLowerCase() === 'chunked' ? null : 'Transfer-Encoding must be chunked';
}
