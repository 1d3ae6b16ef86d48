import { fastify, type FastifyInstance } from 'fastify';
import { answerReadsInTime } from './answer-in-time.js';

describe('a read that takes too long', () => {
  let server: FastifyInstance;
  beforeAll(() => {
    server = fastify();
    answerReadsInTime(server, 20);
    server.get('/slow', (_request, reply) => {
      void reply.type('text/plain');
      return new Promise(() => undefined);
    });
  });
  afterAll(() => server.close());

  it('is 503 in the envelope, whatever type its answer was going to have', async () => {
    const response = await server.inject({ url: '/slow' });

    expect(response.statusCode).toBe(503);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.json()).toEqual({ success: false, error: 'Service temporarily unavailable' });
  });
});
