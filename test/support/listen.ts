import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

export async function listen(app: NestFastifyApplication, port = 0): Promise<number> {
  await app.listen(port, '127.0.0.1');
  return (app.getHttpServer().address() as AddressInfo).port;
}
