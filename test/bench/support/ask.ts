import http from 'node:http';
import { text } from 'node:stream/consumers';

export interface Question {
  readonly key?: string;
  /** Its presence makes the request a POST. */
  readonly body?: object;
}

/**
 * One request on a new connection: the measured server may close a kept one.
 *
 * @throws Error unless the status is 2xx.
 */
export async function ask(url: string, { key, body }: Question = {}): Promise<string> {
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(body && { 'content-type': 'application/json' }),
  };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.request(url, { method: body ? 'POST' : 'GET', headers, agent: false }, resolve);
    request.on('error', reject).end(body && JSON.stringify(body));
  });
  const answer = await text(response);
  const { statusCode = 0 } = response;
  if (statusCode < 200 || statusCode > 299) throw new Error(`${url} answered ${statusCode}: ${answer}`);
  return answer;
}
