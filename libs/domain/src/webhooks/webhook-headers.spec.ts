import { faultOfHeaders, MAX_HEADER_VALUE, MAX_WEBHOOK_HEADERS } from './webhook-headers.js';

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'a']));

describe('the fixed headers of a webhook', () => {
  it.each([
    ['none', {}],
    ['as many as there may be', many(MAX_WEBHOOK_HEADERS)],
    ['a token', { Authorization: 'Bearer a.b-c_d/e+f=', 'x-tenant': '1' }],
    ['a long value', { Cookie: 'x'.repeat(MAX_HEADER_VALUE) }],
  ])('may be %s', (_, headers) => {
    expect(faultOfHeaders(headers)).toBeNull();
  });

  it.each([
    ['too many', many(MAX_WEBHOOK_HEADERS + 1), 'must have at most 10 names'],
    ['of an empty name', { '': 'a' }, 'must have names of'],
    ['of a name with a colon', { 'X:': 'a' }, 'must have names of'],
    ['of a name with a line break', { 'X\r\nHost': 'a' }, 'must have names of'],
    ['of a long name', { ['x'.repeat(65)]: 'a' }, 'must have names of'],
    ['of a name twice', { 'X-Key': 'a', 'x-key': 'b' }, 'must have each name once'],
    ['without a value', { 'X-Key': '' }, 'printable ASCII characters in X-Key'],
    ['with a number', { 'X-Key': 7 }, 'printable ASCII characters in X-Key'],
    ['with null', { 'X-Key': null }, 'printable ASCII characters in X-Key'],
    ['with a line break', { 'X-Key': 'a\r\nHost: b' }, 'printable ASCII characters in X-Key'],
    ['with a space at its end', { 'X-Key': 'a ' }, 'printable ASCII characters in X-Key'],
    ['with an umlaut', { 'X-Key': 'ü' }, 'printable ASCII characters in X-Key'],
    ['with a value that is too long', { 'X-Key': 'x'.repeat(MAX_HEADER_VALUE + 1) }, 'must have 1 to 2000'],
  ])('are not %s', (_, headers, fault) => {
    expect(faultOfHeaders(headers)).toContain(fault);
  });

  it.each([
    ...['host', 'Content-Type', 'content-length', 'Transfer-Encoding', 'connection', 'keep-alive', 'te', 'trailer'],
    ...['upgrade', 'expect', 'proxy-authorization', 'Webhook-Id', 'webhook-signature'],
  ])('do not set %s', (name) => {
    expect(faultOfHeaders({ [name]: 'a' })).toBe(`must not have ${name}, which the service sets`);
  });
});
