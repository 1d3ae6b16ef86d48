import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startListeningApi, type ListeningApi } from '../support/listening-api.js';

describe('POST /v1/orders', () => {
  let api: ListeningApi;
  beforeAll(async () => {
    api = await startListeningApi();
  });
  afterAll(() => api.stop());

  const deep = (levels: number) => `{"items":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

  it.each<[string, () => Buffer, string]>([
    ['a truncated body', () => api.orderWith('{"items": ['), 'Request body is not valid JSON'],
    ['an empty body', () => api.orderWith(''), 'Request body is empty'],
    ['a body of white space', () => api.orderWith('  \n '), 'Request body is not valid JSON'],
    ['a body of plain text', () => api.orderWith('hello'), 'Request body is not valid JSON'],
    ['a trailing comma', () => api.orderWith('{"items":[],}'), 'Request body is not valid JSON'],
    ['NaN', () => api.orderWith('{"items":NaN}'), 'Request body is not valid JSON'],
    ['9 levels', () => api.orderWith(deep(9)), 'Request body is nested deeper than 8 levels'],
    ['100,000 levels', () => api.orderWith(deep(100_000)), 'Request body is nested deeper than 8 levels'],
    ['invalid UTF-8', () => api.orderWith(Buffer.from([0x22, 0xc3, 0x28, 0x22])), 'Request body is not valid UTF-8'],
    ['UTF-16', () => api.orderWith(Buffer.from('{}', 'utf16le')), 'Request body is not valid JSON'],
    ['more than 256 kB', () => api.orderWith(`"${'a'.repeat(256 * 1024)}"`), 'Request body exceeds 256 kB'],
    [
      'the type text/plain',
      () => api.orderHead('Content-Type: text/plain\r\nContent-Length: 2', '{}'),
      'Content-Type must be application/json',
    ],
    [
      'the type of a form',
      () => api.orderHead('Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 2', 'a='),
      'Content-Type must be application/json',
    ],
    [
      'a malformed type',
      () => api.orderHead('Content-Type: json\r\nContent-Length: 2', '{}'),
      'Content-Type must be application/json',
    ],
    [
      'a type that resembles JSON',
      () => api.orderHead('Content-Type: application/jsonp\r\nContent-Length: 2', '{}'),
      'Content-Type must be application/json',
    ],
    ['a body without a type', () => api.orderHead('Content-Length: 2', '{}'), 'Content-Type must be application/json'],
    ['no body', () => api.orderHead('X-Nothing: 1'), 'Content-Type must be application/json'],
    [
      'the charset latin1',
      () => api.orderHead('Content-Type: application/json; charset=iso-8859-1\r\nContent-Length: 2', '{}'),
      'Charset must be utf-8',
    ],
    ['a compressed body', () => api.orderWith('{}', 'Content-Encoding: gzip\r\n'), 'Content-Encoding is not supported'],
  ])('returns 400 for %s', async (_name, bytes, error) => {
    const response = await api.send(bytes());

    expect(response.status).toBe(400);
    expect(response.json()).toEqual({ success: false, error });
  });

  it.each([
    'application/json',
    'Application/JSON; charset="UTF-8"',
    'application/vnd.shop+json',
    'application/json;charset=utf8',
  ])('accepts the type %s', async (type) => {
    const response = await api.send(api.orderHead(`Content-Type: ${type}\r\nContent-Length: 2`, '{}'));

    expect(response.json()).toEqual({ success: false, error: expect.stringContaining('items') as unknown });
  });

  describe('with a field name that could change a prototype', () => {
    const order = (item: string, more = '') => `{"items":[{${item}}],"customer":{"name":"Ada Lovelace"}${more}}`;

    it.each<[string, string, string]>([
      ['__proto__', '', ',"__proto__":{"polluted":true}'],
      ['an escaped __proto__', '', ',"__pr\\u006fto__":{"polluted":true}'],
      ['constructor.prototype', '', ',"constructor":{"prototype":{"polluted":true}}'],
      ['__proto__ in an item', ',"__proto__":{"quantity":2,"polluted":true}', ''],
      ['constructor.prototype in an item', ',"constructor":{"prototype":{"polluted":true}}', ''],
    ])('accepts the order and ignores %s', async (_name, inItem, inBody) => {
      const mug = await api.store.product({ price: 1000, stock: 5 });

      const response = await api.send(api.orderWith(order(`"product_id":${mug},"quantity":1${inItem}`, inBody)));

      expect(response.status).toBe(201);
      expect(response.json()).toMatchObject({ data: { subtotal: 10 } });
      expect({}).not.toHaveProperty('polluted');
    });

    it('reads no field from __proto__', async () => {
      const mug = await api.store.product({ stock: 5 });

      const response = await api.send(api.orderWith(order(`"product_id":${mug},"__proto__":{"quantity":1}`)));

      expect(response.status).toBe(400);
      expect(response.json()).toMatchObject({ error: expect.stringContaining('quantity') as unknown });
    });
  });

  it('accepts a body with 8 levels and a byte order mark', async () => {
    const response = await api.send(api.orderWith(Buffer.from(`\ufeff${deep(8)}`)));

    expect(response.json()).toEqual({ success: false, error: expect.stringContaining('items') as unknown });
  });

  it('returns 400 for chunks of more than 256 kB to a client that is still sending', async () => {
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const head = api.orderHead('Content-Type: application/json\r\nTransfer-Encoding: chunked');
    const response = await api.send([head, ...Array.from({ length: 40 }, () => chunk), '0\r\n\r\n']);

    expect(response.status).toBe(400);
    expect(response.json()).toEqual({ success: false, error: 'Request body exceeds 256 kB' });
  });

  it('returns 400 for a broken chunk', async () => {
    const head = api.orderHead('Content-Type: application/json\r\nTransfer-Encoding: chunked');
    const response = await api.send([head, 'zz\r\n{}\r\n'], { keep: false });

    expect(response).toMatchObject({ status: 400, closed: true });
    expect(response.json()).toEqual({ success: false, error: expect.any(String) as unknown });
  });

  it('accepts a body that arrives slowly, within the 15 s of a request', async () => {
    const mug = await api.store.product({ stock: 1 });
    const body = JSON.stringify({ items: [{ product_id: mug, quantity: 1 }], customer: { name: 'Ada' } });
    const whole = api.orderWith(body);
    const socket = net.connect(api.port, '127.0.0.1');
    socket.write(whole.subarray(0, -10));
    await delay(2_800);
    socket.write(whole.subarray(-10));

    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();

    expect(String(answer)).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('keeps the connection open after it has rejected a body', async () => {
    const next = `GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`;
    const response = await api.send([api.orderWith('{"items": ['), next], { keep: false, waitMs: 500 });

    expect(response).toMatchObject({ status: 200, closed: false });
  });
});
