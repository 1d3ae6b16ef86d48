import http from 'node:http';
import type { Service } from '../service.js';

/** Clients that read `/metrics` continuously, which needs no key. */
export async function scrape(service: Service, clients: number, lastsMs: number): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  const end = Date.now() + lastsMs;
  const once = () =>
    new Promise<void>((resolve) => {
      const request = http.get(`${service.url}/metrics`, { agent }, (response) => {
        response.on('close', resolve).resume();
      });
      request.on('error', () => resolve());
    });
  const client = async () => {
    while (Date.now() < end) await once();
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
}
