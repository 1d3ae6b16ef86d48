import * as application from '@app/application';
import {
  ChargesUnavailable,
  CommitOutcomeUnknown,
  DeadlineExceeded,
  IdempotencyInFlight,
  IdempotencyMismatch,
  Overloaded,
  PricesUnavailable,
  SchemaMismatch,
  Unavailable,
  UnusableValue,
} from '@app/application';
import * as domain from '@app/domain';
import {
  AmbiguousSku,
  DomainError,
  ItemsUnavailable,
  NotFound,
  OutOfStock,
  QuantityNotOffered,
  StockRefused,
  UnknownCustomer,
  UrlNotAllowed,
} from '@app/domain';
import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  HttpException,
  NotFoundException,
  UnauthorizedException,
  UnprocessableEntityException,
} from '@nestjs/common';
import { JsonLogger } from '@app/infrastructure';
import { InvalidFields, invalidField } from './invalid-fields.js';
import { AuthenticationError, ERROR_CODES, MalformedRequest, TooManyRequests } from './request-errors.js';
import { describeError } from './describe-error.js';
import { FailureReports } from './failure-reports.js';

class NotTheirs extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'not_theirs';

  constructor() {
    super('The account is not theirs');
  }
}

const unavailable = new ItemsUnavailable([{ line: 0, what: 'product', id: 7 }]);
const secret = new Error('secret words');
const fastify = (code: string, statusCode: number) => Object.assign(new Error('secret words'), { code, statusCode });
const wrapped = (error: Error, status: number) => new HttpException(error.message, status, { cause: error });
const BUSY = 'Too many concurrent requests';
const DOWN = 'Service temporarily unavailable';
const DEFECT = 'Internal server error';
const MEDIA_TYPE = 'Content-Type must be application/json';

describe('describeError', () => {
  it.each<[string, unknown, number, string, string]>([
    ['an invalid order', unavailable, 400, 'item_unavailable', 'items[0].product_id 7 is not available'],
    ['a missing resource', new NotFound('Order'), 404, 'not_found', 'Order not found'],
    ['short stock', new OutOfStock([{ line: 0, requested: 5, available: 3 }]), 422, 'out_of_stock', 'requested 5'],
    ['a reused idempotency key', new IdempotencyMismatch(), 422, 'idempotency_mismatch', 'This Idempotency-Key'],
    ['a request in flight', new IdempotencyInFlight(), 409, 'idempotency_in_flight', 'still being processed'],
    ['a runaway loop', new TooManyRequests(3, 'of key'), 429, 'throttled', 'Too many requests'],
    ['an unknown key', new AuthenticationError('unknown'), 401, 'unauthorized', 'Invalid API key'],
    ['an inactive key', new AuthenticationError('inactive'), 403, 'api_key_inactive', 'deactivated or expired'],
    ['an inactive store', new AuthenticationError('store_inactive'), 403, 'store_inactive', 'Store is inactive'],
    ['malformed bytes', new MalformedRequest('HPE_HEADER_OVERFLOW'), 400, 'invalid_request', 'headers are too large'],
    ['unknown bytes', new MalformedRequest('HPE_NEW_IN_NODE_99'), 400, 'invalid_request', 'request is malformed'],
    ['a Nest refusal', new BadRequestException('customer.name is required'), 400, 'invalid_request', 'customer.name'],
    ['a list of faults', new BadRequestException(['a fault', 'b']), 400, 'invalid_request', 'a fault; b'],
    ['a 404 of Nest', new NotFoundException('No such parcel'), 404, 'not_found', 'No such parcel'],
    ['an unknown path', new NotFoundException('Cannot GET /v1/orders/'), 404, 'not_found', 'Not found'],
    ['a refusal of a guard', new ForbiddenException('Forbidden resource'), 403, 'forbidden', 'Forbidden resource'],
    ['a conflict of Nest', new ConflictException('Taken', { cause: secret }), 409, 'conflict', 'Taken'],
    ['a 422 of Nest', new UnprocessableEntityException('Spent'), 422, 'unprocessable_entity', 'Spent'],
    ['a status without a name', new HttpException('Strange', 499), 499, 'refused', 'Strange'],
    ['a forbidden action', new NotTheirs(), 403, 'not_theirs', 'not theirs'],
    [
      'a refused body',
      wrapped(fastify('FST_ERR_CTP_INVALID_JSON_BODY', 400), 400),
      400,
      'invalid_request',
      'valid JSON',
    ],
    ['a media type', fastify('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415), 400, 'invalid_request', MEDIA_TYPE],
    ['an unknown Fastify refusal', fastify('FST_ERR_NEW', 418), 400, 'invalid_request', 'The request is malformed'],
    ['a Fastify fault', fastify('FST_ERR_REP_INVALID_PAYLOAD_TYPE', 500), 500, 'internal_error', DEFECT],
    ['a defect', new TypeError('secret words'), 500, 'internal_error', DEFECT],
    ['a thrown string', 'secret words', 500, 'internal_error', DEFECT],
    ['a thrown undefined', undefined, 500, 'internal_error', DEFECT],
    ['a Nest 502', new HttpException('secret words', 502), 500, 'internal_error', DEFECT],
    ['a driver error', Object.assign(new Error('secret words'), { code: '57P01' }), 500, 'internal_error', DEFECT],
    ['a database outage', new Unavailable({ cause: secret }), 503, 'unavailable', DOWN],
    ['a missing table', new SchemaMismatch({ cause: secret }), 503, 'unavailable', DOWN],
    ['a missed deadline', new DeadlineExceeded({ cause: secret }), 503, 'deadline_exceeded', DOWN],
    ['a lost commit', new CommitOutcomeUnknown(secret), 503, 'outcome_unknown', DOWN],
    ['failed prices', new PricesUnavailable({ cause: secret }), 503, 'prices_unavailable', 'cannot be read'],
    ['failed charges', new ChargesUnavailable({ cause: secret }), 503, 'charges_unavailable', 'cannot be computed'],
    ['a reached limit', new Overloaded(), 503, 'overloaded', BUSY],
  ])('maps %s to its status, code and text', (_name, error, status, code, text) => {
    const answer = describeError(error);
    const isOfKey = status === 401 || status === 403;

    expect(answer).toMatchObject({ status, code, headers: { 'x-error-code': code } });
    expect(answer.body.error).toContain(text);
    expect(answer.body.error).not.toContain('secret');
    expect(answer.body).toMatchObject(isOfKey ? { error: answer.body.error } : { success: false, code });
    expect('code' in answer.body).toBe(!isOfKey);
  });

  it.each<[string, Error, object[]]>([
    [
      'fields of a body',
      new InvalidFields([
        { path: 'items[2].quantity', message: 'must be an integer from 1 to 999' },
        { path: 'notes', message: 'must be text' },
      ]),
      [
        { path: 'items[2].quantity', message: 'must be an integer from 1 to 999' },
        { path: 'notes', message: 'must be text' },
      ],
    ],
    ['a parameter', invalidField('sort must be a word'), [{ path: 'sort', message: 'must be a word' }]],
    ['an unavailable item', unavailable, [{ path: 'items[0].product_id', message: '7 is not available' }]],
    [
      'short stock',
      new OutOfStock([{ list: 'set', line: 1, requested: 5, available: 3 }]),
      [{ path: 'set[1]', message: 'requested 5, available 3' }],
    ],
    [
      'a quantity that is not offered',
      new QuantityNotOffered([{ list: 'add', line: 1, requested: 5, minQuantity: 6, step: 1 }]),
      [{ path: 'add[1].quantity', message: '5 is not offered: order at least 6' }],
    ],
    [
      'an unknown customer',
      new UnknownCustomer(),
      [{ path: 'customer_id', message: 'is not the id of a customer of the store' }],
    ],
    [
      'an ambiguous SKU',
      new AmbiguousSku([{ line: 2, sku: 'R-1' }]),
      [{ path: 'items[2].sku', message: 'matches several products: send product_id and variant_id' }],
    ],
    ['a URL', new UrlNotAllowed('must begin with https://'), [{ path: 'url', message: 'must begin with https://' }]],
    [
      'a refused line',
      new StockRefused([{ path: 'lines[0]', message: 'stale: The bin holds 12, not 10' }]),
      [{ path: 'lines[0]', message: 'stale: The bin holds 12, not 10' }],
    ],
  ])('names %s as at fault, beside the text of all faults', (_what, error, faults) => {
    expect(describeError(error).body).toMatchObject({ success: false, faults });
  });

  it.each([
    ['a fault of no field', new BadRequestException('Request body is empty')],
    ['a line without a place in the request', new StockRefused([{ path: '', message: 'unknown_bin' }])],
    ['a missing resource', new NotFound('Order')],
    ['a refused key', new AuthenticationError('inactive')],
  ])('names no field for %s', (_what, error) => {
    expect(describeError(error).body).not.toHaveProperty('faults');
  });

  it('names at most 20 fields', () => {
    const faults = Array.from({ length: 30 }, (_, n) => ({ path: `items[${n}]`, message: 'must be an object' }));
    const items = Array.from({ length: 30 }, (_, line) => ({ line, what: 'product', id: 7 }) as const);

    expect(describeError(new InvalidFields(faults)).body).toMatchObject({ faults: faults.slice(0, 20) });
    expect(describeError(new ItemsUnavailable(items)).body).toHaveProperty('faults.length', 20);
  });

  it.each([
    ['unavailable', new Unavailable()],
    ['unavailable', new CommitOutcomeUnknown(null)],
    ['late', new DeadlineExceeded()],
    ['none', new Overloaded()],
    ['unusable_value', new UnusableValue()],
    ['defect', new TypeError()],
    ['defect', new ChargesUnavailable()],
    ['none', new NotFound('Order')],
  ])('reports the concern %s for %s', (concern, error) => {
    expect(describeError(error).concern).toBe(concern);
  });

  it('maps a value that the database refuses to 400, or to 404 on a path with an id', () => {
    expect(describeError(new UnusableValue())).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(describeError(new UnusableValue(), true)).toMatchObject({ status: 404, code: 'not_found' });
  });

  it.each([
    new AuthenticationError('inactive'),
    new UnauthorizedException(),
    new ForbiddenException(),
    new NotTheirs(),
  ])('has only the error in the body of a 401 or 403: %s', (error) => {
    expect(Object.keys(describeError(error).body)).toEqual(['error']);
  });

  it('names the scheme of authentication in a 401', () => {
    const { headers } = describeError(new AuthenticationError('unknown'));

    expect(headers).toEqual({ 'www-authenticate': 'Bearer', 'x-error-code': 'unauthorized' });
    expect(describeError(new AuthenticationError('inactive')).headers).not.toHaveProperty('www-authenticate');
  });

  it.each([
    ['7', new TooManyRequests(7, 'of key')],
    ['1', new IdempotencyInFlight()],
    ['1', new Unavailable()],
    ['1', new DeadlineExceeded()],
    ['1', new CommitOutcomeUnknown(null)],
    ['1', new Overloaded()],
  ])('sets Retry-After to %s for %s', (seconds, error) => {
    expect(describeError(error).headers).toHaveProperty('retry-after', seconds);
  });

  it('names each line that is short, at most twenty', () => {
    const shortages = Array.from({ length: 30 }, (_, line) => ({ line, requested: 5, available: 3 }));

    const faults = describeError(new OutOfStock(shortages)).body.error.split('; ');

    expect(faults).toHaveLength(20);
    expect(faults[2]).toBe('items[2]: requested 5, available 3');
  });
});

/** These have no code: base classes for extensions, and signals between an adapter and its use case or command. */
const WITHOUT_CODE = [
  'DomainError',
  'ApplicationError',
  'MoveRefused',
  'ProviderFailure',
  'ReceiptNumberTaken',
  'UndeliverableMessage',
];

/** Only operators' commands throw these. No route of the API can end with them. */
const OPERATORS_ONLY = ['SubdomainTaken'];

const classes = Object.entries({ ...domain, ...application } as Record<string, unknown>)
  .filter(([, value]) => typeof value === 'function' && value.prototype instanceof Error)
  .map(([name, value]) => ({ name, code: (value as { code?: string }).code }));

describe('the error codes', () => {
  it('belong to every error class', () => {
    const without = classes.filter(({ code }) => code === undefined).map(({ name }) => name);

    expect(without.sort()).toEqual([...WITHOUT_CODE].sort());
  });

  it('are those of every error that the API can answer with', () => {
    const others = classes.filter(({ code = '' }) => code !== '' && !ERROR_CODES.has(code)).map(({ name }) => name);

    expect(others.sort()).toEqual(OPERATORS_ONLY);
    expect([...ERROR_CODES].filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
  });
});

describe('FailureReports', () => {
  const lines: string[] = [];
  let reports: FailureReports;
  beforeEach(() => {
    vi.useFakeTimers();
    lines.length = 0;
    const counts = { countRefusedOrder: () => undefined, countUnusableValue: () => undefined };
    reports = new FailureReports(new JsonLogger('info', { write: (line) => void lines.push(line) }), counts);
  });
  afterEach(() => vi.useRealTimers());

  const messages = () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);

  it('logs an outage once, and its failures when it has ended', () => {
    for (let request = 0; request < 100; request++) reports.report(new Unavailable(), 'unavailable', `r-${request}`);
    reports.report(new CommitOutcomeUnknown(null), 'unavailable', 'r-100');
    expect(messages()).toEqual(['The database is unavailable']);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ request_id: 'r-0' });

    vi.advanceTimersByTime(10_000);

    expect(messages()[1]).toBe('The database is unavailable: ended after 0 s and 101 failures');
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ failures: 101, seconds: 0 });
  });

  it('logs late answers apart from an outage, and every defect', () => {
    reports.report(new Unavailable(), 'unavailable', 'r-1');
    reports.report(new DeadlineExceeded(), 'late', 'r-2');
    reports.report(new TypeError('x'), 'defect', 'r-3');
    reports.report(new TypeError('x'), 'defect', 'r-4');

    expect(messages()).toEqual([
      'The database is unavailable',
      'The database did not answer in time',
      'A request failed',
      'A request failed',
    ]);
  });
});
