import { CommitOutcomeUnknown, IdempotencyInFlight, IdempotencyMismatch } from '@app/application';
import { InvalidOrderItems, NotFound } from '@app/domain';
import { BadRequestException, HttpException, MethodNotAllowedException, NotFoundException } from '@nestjs/common';
import { AuthenticationError } from './authentication-error.js';
import { TooManyRequests } from './too-many-requests.js';
import { describeError } from './describe-error.js';
import { MalformedRequest } from './request-faults.js';

const postgres = (code: string, message = 'secret words') => Object.assign(new Error(message), { code });
const typeorm = (code: string) => Object.assign(new Error('secret words'), { driverError: postgres(code) });
const fastify = (code: string, statusCode: number) => Object.assign(new Error('secret words'), { code, statusCode });
const wrapped = (error: Error, status: number) => new HttpException(error.message, status, { cause: error });

describe('describeError', () => {
  it.each<[string, unknown, number, string]>([
    ['an invalid order', new InvalidOrderItems('items[0].product_id 7 is not available'), 400, 'items[0]'],
    ['something not found', new NotFound('Order'), 404, 'Order not found'],
    ['a reused idempotency key', new IdempotencyMismatch(), 422, 'This Idempotency-Key was used'],
    ['a request in flight', new IdempotencyInFlight(), 409, 'still being processed'],
    ['a runaway loop', new TooManyRequests(3), 429, 'Too many requests'],
    ['bytes that are no request', new MalformedRequest('HPE_HEADER_OVERFLOW'), 400, 'headers are too large'],
    ['unknown bytes', new MalformedRequest('HPE_NEW_IN_NODE_99'), 400, 'The request is malformed'],
    ['a refusal of Nest', new BadRequestException('customer.name is required'), 400, 'customer.name is required'],
    ['an unknown path', new NotFoundException('Cannot GET /v1/orders/'), 404, 'Not found'],
    ['a status that is not documented', new MethodNotAllowedException('No such method'), 400, 'No such method'],
    ['a body too large', wrapped(fastify('FST_ERR_CTP_BODY_TOO_LARGE', 413), 413), 400, 'exceeds 256 kB'],
    ['a media type', fastify('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415), 400, 'Content-Type must be application/json'],
    ['an unknown refusal of Fastify', fastify('FST_ERR_NEW', 418), 400, 'The request is malformed'],
    ['a fault of Fastify', fastify('FST_ERR_REP_INVALID_PAYLOAD_TYPE', 500), 500, 'Internal server error'],
    ['a defect', new TypeError('secret words'), 500, 'Internal server error'],
    ['a thrown string', 'secret words', 500, 'Internal server error'],
    ['nothing', undefined, 500, 'Internal server error'],
    ['a 5xx of Nest', new HttpException('secret words', 502), 500, 'Internal server error'],
    ['a constraint that broke', typeorm('23505'), 500, 'Internal server error'],
  ])('of %s', (_name, error, status, text) => {
    const { status: actual, body } = describeError(error);

    expect({ status: actual, body }).toEqual({
      status,
      body: { success: false, error: expect.stringContaining(text) as unknown },
    });
    expect(body.error).not.toContain('secret');
  });

  it.each<[string, unknown]>([
    ['a commit of unknown outcome', new CommitOutcomeUnknown(new Error('gone'))],
    ['a refused connection', postgres('ECONNREFUSED')],
    ['a server that shuts down', typeorm('57P01')],
    ['too many connections', typeorm('53300')],
    ['a full disk', typeorm('53100')],
    ['a class 08 error', typeorm('08006')],
    ['a standby', typeorm('25006')],
    ['a statement timeout', typeorm('57014')],
    ['a lock timeout', typeorm('55P03')],
    ['a statement whose preparation was given up', typeorm('26000')],
    ['a deadlock that retries did not resolve', typeorm('40P01')],
    ['a full pool', new Error('timeout exceeded when trying to connect')],
    ['a broken connection', new Error('Connection terminated unexpectedly')],
    ['a silent server', new Error('Query read timeout')],
  ])('of %s is 503 with Retry-After', (_name, error) => {
    expect(describeError(error)).toEqual({
      status: 503,
      body: { success: false, error: 'Service temporarily unavailable' },
      headers: { 'retry-after': '1' },
      concern: 'unavailable',
    });
  });

  it.each(['22021', '22P05', '22P02', '22003', '22025'])('of SQLSTATE %s is 400, or 404 where it was an id', (code) => {
    expect(describeError(typeorm(code))).toMatchObject({ status: 400, concern: 'unexpected input' });
    expect(describeError(typeorm(code), true)).toMatchObject({ status: 404, concern: 'unexpected input' });
  });

  it('of a failed authentication is the error alone', () => {
    expect(describeError(new AuthenticationError('unknown'))).toEqual({
      status: 401,
      body: { error: 'Invalid API key' },
      headers: { 'www-authenticate': 'Bearer' },
      concern: 'none',
    });
    expect(describeError(new AuthenticationError('inactive'))).toMatchObject({ status: 403, headers: {} });
  });

  it('says when to try again', () => {
    expect(describeError(new TooManyRequests(7)).headers).toEqual({ 'retry-after': '7' });
    expect(describeError(new IdempotencyInFlight()).headers).toEqual({ 'retry-after': '1' });
  });
});
