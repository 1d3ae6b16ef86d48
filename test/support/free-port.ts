import { randomInt } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';

/** The system takes ports for outgoing connections from above this range. */
const SERVER_PORTS = [20_000, 32_000] as const;

/** A port that is free now, for a server that must return to the same port. */
export async function freePort(): Promise<number> {
  return (await listenOnce(0)) ?? freePort();
}

/** Finds a port for a server that is down for longer: no outgoing connection takes it in between. */
export async function serverPort(): Promise<number> {
  return (await listenOnce(randomInt(...SERVER_PORTS))) ?? serverPort();
}

async function listenOnce(wanted: number): Promise<number | null> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(wanted, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return null;
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
