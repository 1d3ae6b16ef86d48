import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly closed: Promise<void>;
}

/** `hang` sends no answer; `cut` ends the connection without one. */
export type Answer =
  | 'hang'
  | 'cut'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

/** A server of webhooks on 127.0.0.1, at the names `localhost` and `*.receiver.test`, with a certificate of its own. */
export class HttpsReceiver {
  readonly requests: ReceivedRequest[] = [];
  answer: (request: ReceivedRequest) => Answer | Promise<Answer> = () => ({ status: 200 });
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: https.Server,
    private readonly identity: { readonly key: string; readonly cert: string },
  ) {
    server.on('connection', (socket: Socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    server.on('request', (request, response) => {
      void this.receive(request, response).catch(() => response.destroy());
    });
  }

  static async start(host = '127.0.0.1', port = 0): Promise<HttpsReceiver> {
    const altNames = [
      { type: 2 as const, value: 'localhost' },
      { type: 2 as const, value: '*.receiver.test' },
      { type: 7 as const, ip: '127.0.0.1' },
    ];
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'receiver.test' }], {
      keyType: 'ec',
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames },
      ],
    });
    const server = https.createServer({ key, cert });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    return new HttpsReceiver(server, { key, cert });
  }

  get ca(): string {
    return this.identity.cert;
  }

  secureServer(handle: RequestListener): { readonly listening: Promise<string>; close(): void } {
    const server = https.createServer(this.identity, handle);
    const listening = new Promise<string>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`));
    });
    return { listening, close: () => void server.close() };
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}/`;
  }

  get open(): number {
    return this.sockets.size;
  }

  reset(): void {
    this.requests.length = 0;
    this.answer = () => ({ status: 200 });
  }

  hangUp(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.hangUp();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    const received = { method, path, headers, body: (await buffer(request)).toString(), closed };
    this.requests.push(received);
    const answer = await this.answer(received);
    if (answer === 'hang') return;
    if (answer === 'cut') return void response.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }
}
