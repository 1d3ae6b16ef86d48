import { listen } from './listen.js';
import { sendRaw, type RawOptions, type RawResponse } from './raw-http.js';
import { startApi, type RunningApi } from './start-api.js';

export interface ListeningApi extends RunningApi {
  readonly port: number;
  /** The Authorization header of the store's live key, with its line break. */
  readonly keyLine: string;
  send(bytes: string | Buffer | readonly (string | Buffer)[], options?: RawOptions): Promise<RawResponse>;
  /** Builds `POST /v1/orders` with the key. @param head further header lines, without the last line break. */
  orderHead(head: string, body?: string | Buffer): Buffer;
  /**
   * Builds `POST /v1/orders` with the key and this body as JSON. @param head further header lines, each with its line
   * break.
   */
  orderWith(body: string | Buffer, head?: string): Buffer;
}

export async function startListeningApi(lines?: string[]): Promise<ListeningApi> {
  const api = await startApi({}, lines);
  const port = await listen(api.app);
  const keyLine = `Authorization: Bearer ${api.store.key}\r\n`;
  const orderHead: ListeningApi['orderHead'] = (head, body = '') =>
    Buffer.concat([Buffer.from(`POST /v1/orders HTTP/1.1\r\nHost: x\r\n${keyLine}${head}\r\n\r\n`), Buffer.from(body)]);
  return {
    ...api,
    port,
    keyLine,
    send: (bytes, options) => sendRaw(port, bytes, options),
    orderHead,
    orderWith: (body, head = '') =>
      orderHead(`Content-Type: application/json\r\n${head}Content-Length: ${Buffer.byteLength(body)}`, body),
  };
}
