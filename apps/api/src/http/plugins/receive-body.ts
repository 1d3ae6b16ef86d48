import type { IncomingMessage } from 'node:http';
import { errorCodes } from 'fastify';
import type { ByteBudget } from '../server/byte-budget.js';

const START_BYTES = 4 * 1024;

/**
 * Receives a request body. Copies each piece: a piece of 1 byte would keep the whole packet in memory.
 *
 * @param limit in bytes.
 * @param held counts the bytes until the body has arrived.
 * @throws FST_ERR_CTP_BODY_TOO_LARGE beyond the limit; the request's own error when the client leaves before the end.
 */
export async function receiveBody(request: IncomingMessage, limit: number, held: ByteBudget): Promise<Buffer> {
  const { socket } = request;
  if (Number(request.headers['content-length']) > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
  let body = Buffer.allocUnsafe(START_BYTES);
  let size = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      request.on('data', (piece: Buffer) => {
        const start = size;
        size += piece.length;
        if (size > limit) return reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
        if (size > body.length) {
          body = Buffer.concat([body], Math.min(limit, Math.max(size, 2 * body.length)));
          held.hold(socket, body.length);
        }
        piece.copy(body, start);
      });
      request.once('end', resolve).once('error', reject);
    });
  } finally {
    held.release(socket);
    request.removeAllListeners('data');
  }
  return body.subarray(0, size);
}
