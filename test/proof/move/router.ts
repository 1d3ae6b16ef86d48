import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { passOn } from '../support/balancer.js';

/** A proxy with a map from the hashes of keys to clusters, which the operator of a move changes. */
export class Router {
  private readonly clusters = new Map<string, string>();
  private readonly agent = new http.Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 64 });
  private readonly server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const [, key = ''] = request.headers.authorization?.split(' ') ?? [];
    passOn(request, response, this.clusters.get(hashOf(key)) ?? '', this.agent);
  });

  private constructor(public url = '') {}

  static async start(): Promise<Router> {
    const router = new Router();
    await new Promise<void>((resolve) => router.server.listen(0, '127.0.0.1', resolve));
    router.url = `http://127.0.0.1:${(router.server.address() as AddressInfo).port}`;
    return router;
  }

  lead(key: string, cluster: string): void {
    this.clusters.set(hashOf(key), cluster);
  }

  async close(): Promise<void> {
    this.agent.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
