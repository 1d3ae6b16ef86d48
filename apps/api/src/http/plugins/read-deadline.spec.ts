import { fastify, type FastifyInstance } from 'fastify';
import { readDeadline } from './read-deadline.js';

describe('a read past its deadline', () => {
  let server: FastifyInstance;
  beforeAll(() => {
    server = fastify();
    void server.register(readDeadline, { patienceMs: 20 });
    server.get('/slow', (_request, reply) => {
      void reply.type('text/plain');
      return new Promise(() => undefined);
    });
  });
  afterAll(() => server.close());

  it('returns 503 in the envelope after the handler set another content type', async () => {
    const response = await server.inject({ url: '/slow' });

    expect(response.statusCode).toBe(503);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.json()).toEqual({ success: false, error: 'Service temporarily unavailable' });
  });
});
