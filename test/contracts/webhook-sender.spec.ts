import { WebhookSender, type Receiver } from '@app/application';
import { UrlNotAllowed } from '@app/domain';
import { HttpsWebhookSender } from '@app/infrastructure';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import { DnsServer } from '../support/dns-server.js';
import { eventually } from '../support/eventually.js';
import { HttpsReceiver } from '../support/https-receiver.js';

const LOOPBACK = [127, 0, 0, 1];
const PRIVATE = [127, 0, 0, 2];
const MAPPED = [...Array<number>(10).fill(0), 0xff, 0xff, ...LOOPBACK];

describe('WebhookSender', () => {
  let receiver: HttpsReceiver;
  let receivers: Receiver[];
  beforeAll(async () => (receiver = await HttpsReceiver.start()));
  afterAll(() => receiver.close());
  beforeEach(() => {
    receiver.reset();
    receivers = [];
  });
  afterEach(() => receivers.forEach((open) => open.close()));

  const open = (url = receiver.url, servers?: readonly string[], allowed = ['127.0.0.1/32']): Receiver => {
    const sender: WebhookSender = new HttpsWebhookSender(allowed, { ca: receiver.ca, ...(servers && { servers }) });
    const opened = sender.open(url);
    receivers.push(opened);
    return opened;
  };
  const post = (url?: string, servers?: readonly string[], allowed?: string[]) =>
    open(url, servers, allowed).post({ 'webhook-id': 'msg_1' }, '{"a":"ü"}');

  it('posts the message with its headers', async () => {
    receiver.answer = () => ({ status: 202, body: 'taken' });

    const attempt = await post();

    expect(attempt).toMatchObject({ phase: 'done', status: 202, answer: 'taken', retryAfterMs: null });
    expect(receiver.requests).toMatchObject([
      {
        method: 'POST',
        body: '{"a":"ü"}',
        headers: { 'webhook-id': 'msg_1', 'content-type': 'application/json', 'content-length': '10' },
      },
    ]);
  });

  it('keeps the connection between messages', async () => {
    const before = receiver.connections;
    const opened = open();
    for (let n = 0; n < 5; n++) expect((await opened.post({}, '{}')).status).toBe(200);

    expect(receiver.connections - before).toBe(1);
  });

  it('sends a message again on a new connection when the receiver has closed the one between messages', async () => {
    const opened = open();
    await opened.post({}, '{}');
    let isFirst = true;
    receiver.answer = () => {
      if (!isFirst) return { status: 200 };
      isFirst = false;
      return 'cut';
    };

    expect((await opened.post({}, '{}')).status).toBe(200);
  });

  it('sends nothing to an address whose network is no longer allowed', async () => {
    expect(await post(receiver.url, undefined, [])).toMatchObject({ status: null, answer: 'ADDRESS_NOT_ALLOWED' });

    expect(receiver.requests).toEqual([]);
  });

  it('does not follow a redirect', async () => {
    receiver.answer = () => ({ status: 302, headers: { location: receiver.url } });

    expect((await post()).status).toBe(302);
    expect(receiver.requests).toHaveLength(1);
  });

  it.each<[number, string | (() => string), number | null]>([
    [429, '120', 120_000],
    [503, '0', 0],
    [503, () => new Date(Date.now() + 60_000).toUTCString(), 60_000],
    [503, 'Thu, 01 Jan 1970 00:00:00 GMT', 0],
    [503, 'soon', null],
    [503, '-5', null],
    [500, '120', null],
    [503, '99999999999', 99_999_999_999_000],
  ])('reads the Retry-After of a %i: %s', async (status, header, expected) => {
    const retryAfter = typeof header === 'string' ? header : header();
    receiver.answer = () => ({ status, headers: { 'retry-after': retryAfter } });

    const { retryAfterMs } = await post();

    if (expected === null) expect(retryAfterMs).toBeNull();
    else expect(Math.abs((retryAfterMs ?? NaN) - expected)).toBeLessThan(2_000);
  });

  it('keeps the first 4 kB of an answer, as text that can be stored, and ends the connection of a longer one', async () => {
    receiver.answer = () => ({ status: 500, body: `\0\u001b[31mé${'x'.repeat(100_000)}` });

    const { answer, status } = await post();

    expect([status, answer.slice(0, 6)]).toEqual([500, '[31méx']);
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(4_096);
    await eventually(() => expect(receiver.open).toBe(0));
  });

  it('fails in the phase in which a receiver cuts or does not listen', async () => {
    receiver.answer = () => 'cut';
    expect(await post()).toMatchObject({ phase: 'answer', status: null, answer: 'ECONNRESET' });

    const closed = await HttpsReceiver.start();
    const { url } = closed;
    await closed.close();
    expect(await post(url)).toMatchObject({ phase: 'connect', status: null, answer: 'ECONNREFUSED' });

    const plain = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as AddressInfo;
    expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject({ phase: 'tls', status: null, answer: 'EPROTO' });
    plain.close();
  });

  it('refuses a certificate that no authority has signed', async () => {
    const sender = new HttpsWebhookSender(['127.0.0.1/32']);
    const opened = sender.open(receiver.url);

    expect(await opened.post({}, '{}')).toMatchObject({ phase: 'tls', status: null });

    expect(receiver.requests).toEqual([]);
    opened.close();
  });

  it('makes no handshake with a prime that the receiver chooses', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'rsa' });
    const weak = tls.createServer({ key, cert, dhparam: 'auto', ciphers: 'DHE', maxVersion: 'TLSv1.2' });
    await new Promise<void>((resolve) => weak.listen(0, '127.0.0.1', resolve));
    const { port } = weak.address() as AddressInfo;

    expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject({ phase: 'tls', status: null, answer: 'EPROTO' });
    weak.close();
  });

  it('refuses a certificate of another name', async () => {
    const dns = await DnsServer.start((_, type) => (type === 'A' ? [LOOPBACK] : []));

    expect(await post(`https://elsewhere.test:${receiver.port}/`, [dns.address])).toMatchObject({
      ...{ phase: 'tls', status: null, answer: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
    await dns.close();
  });

  describe('with a name', () => {
    let dns: DnsServer;
    let addresses: (type: 'A' | 'AAAA') => readonly number[][] | null;
    let inside: Server;
    let reached: number;
    beforeAll(async () => (dns = await DnsServer.start((_, type) => addresses(type))));
    afterAll(() => dns.close());
    beforeEach(async () => {
      reached = 0;
      inside = createServer((socket: Socket) => {
        reached++;
        socket.destroy();
      });
      await new Promise<void>((resolve) => inside.listen(receiver.port, '127.0.0.2', resolve));
    });
    afterEach(() => new Promise((resolve) => inside.close(resolve)));

    const postTo = (name = 'erp.receiver.test') => post(`https://${name}:${receiver.port}/`, [dns.address]);

    it('connects to the address that it has checked', async () => {
      addresses = (type) => (type === 'A' ? [LOOPBACK] : []);

      expect(await postTo()).toMatchObject({ phase: 'done', status: 200 });
    });

    it.each<[string, (type: 'A' | 'AAAA') => readonly number[][]]>([
      ['a private address', (type) => (type === 'A' ? [PRIVATE] : [])],
      ['a private address beside one that is allowed', (type) => (type === 'A' ? [LOOPBACK, PRIVATE] : [])],
      ['a mapped private address', (type) => (type === 'AAAA' ? [[...MAPPED.slice(0, 12), ...PRIVATE]] : [])],
      ['a mapped address whose IPv4 form is allowed', (type) => (type === 'AAAA' ? [MAPPED] : [])],
      ['NAT64', (type) => (type === 'AAAA' ? [[0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, ...PRIVATE]] : [])],
    ])('does not connect to a name at %s', async (_, answer) => {
      addresses = answer;

      expect(await postTo()).toMatchObject({ phase: 'address', status: null, answer: 'ADDRESS_NOT_ALLOWED' });
      expect([reached, receiver.requests]).toEqual([0, []]);
    });

    it('checks and uses no more than 16 IPv4 addresses of a name', async () => {
      addresses = (type) => (type === 'A' ? [...Array<number[]>(16).fill(LOOPBACK), PRIVATE] : []);

      expect(await postTo()).toMatchObject({ phase: 'done', status: 200 });
      expect(reached).toBe(0);
    });

    it('does not connect to what a name that rebinds means later', async () => {
      let questions = 0;
      addresses = (type) => (type === 'AAAA' ? [] : questions++ === 0 ? [LOOPBACK] : [PRIVATE]);
      const opened = open(`https://erp.receiver.test:${receiver.port}/`, [dns.address]);

      expect((await opened.post({}, '{}')).status).toBe(200);
      receiver.hangUp();
      await eventually(() => expect(receiver.open).toBe(0));
      expect(await opened.post({}, '{}')).toMatchObject({ phase: 'address', answer: 'ADDRESS_NOT_ALLOWED' });

      expect([questions, reached]).toEqual([2, 0]);
    });

    it('connects again at once when the receiver closes the connection with each answer', async () => {
      addresses = (type) => (type === 'A' ? [LOOPBACK] : []);
      receiver.answer = () => ({ status: 200, headers: { connection: 'close' } });
      const opened = open(`https://erp.receiver.test:${receiver.port}/`, [dns.address]);

      for (let n = 0; n < 5; n++) expect(await opened.post({}, '{}')).toMatchObject({ phase: 'done', status: 200 });
    });

    it('does not wait for IPv6 addresses of a name server that keeps silent about them', async () => {
      addresses = (type) => (type === 'A' ? [LOOPBACK] : null);

      expect(await postTo()).toMatchObject({ phase: 'done', status: 200 });
    });

    it('tells that a name has no address', async () => {
      addresses = () => [];

      expect(await postTo()).toMatchObject({ phase: 'address', status: null, answer: 'ENODATA' });
    });
  });

  it('ends each step of a receiver that hangs, and leaves nothing open', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined).resume()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    receiver.answer = () => 'hang';
    const drips = receiver.secureServer((request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('a'), 100);
      request.once('close', () => clearInterval(drip));
    });

    const [tls, answer, endless] = await Promise.all([
      post(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/`),
      post(),
      post(await drips.listening),
    ]);

    expect(tls).toMatchObject({ phase: 'tls', status: null, answer: 'TIMED_OUT' });
    expect(tls.durationMs).toBeLessThan(6_000);
    expect(answer).toMatchObject({ phase: 'answer', status: null, answer: 'TIMED_OUT' });
    // The status of an answer that never ends counts.
    expect(endless).toMatchObject({ phase: 'done', status: 200, answer: expect.stringMatching(/^a{50,}$/) as string });
    expect(Math.max(answer.durationMs, endless.durationMs)).toBeLessThan(11_000);
    drips.close();
    await eventually(() => expect([receiver.open, sockets.every(({ closed }) => closed)]).toEqual([0, true]));
    silent.close();
  });

  it('sends nothing when its process was suspended while it connected', async () => {
    const now = performance.now.bind(performance);
    let suspendedMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + suspendedMs);
    const proxy = createServer((socket) => {
      const onward = connect(receiver.port, '127.0.0.1');
      // This is the receiver's part of the handshake, after which the sender has everything to send.
      onward.once('data', () => (suspendedMs = 40_000));
      socket
        .on('error', () => undefined)
        .pipe(onward.on('error', () => undefined))
        .pipe(socket);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));

    const attempt = await post(`https://127.0.0.1:${(proxy.address() as AddressInfo).port}/`);

    clock.mockRestore();
    proxy.close();
    expect(attempt).toMatchObject({ status: null, answer: 'TIMED_OUT' });
    await eventually(() => expect(receiver.open).toBe(0));
    expect(receiver.requests).toEqual([]);
  });

  it('takes the status of an answer that breaks off', async () => {
    const server = receiver.secureServer((_, response) => {
      response.writeHead(500).write('a');
      setTimeout(() => response.destroy(), 50);
    });

    expect(await post(await server.listening)).toMatchObject({ phase: 'done', status: 500, answer: 'a' });
    server.close();
  });

  it('fails when a receiver switches protocols', async () => {
    const headers = ['Connection: Upgrade', 'Upgrade: websocket'];
    const server = receiver.secureServer((request) => {
      request.socket.write(['HTTP/1.1 101 Switching Protocols', ...headers, '', ''].join('\r\n'));
    });

    const attempt = await post(await server.listening);

    expect(attempt).toMatchObject({ phase: 'answer', status: null, answer: 'NO_ANSWER' });
    server.close();
  });

  it('fails when a receiver announces an answer without an end', async () => {
    const server = receiver.secureServer((request) => {
      const announce = setInterval(() => request.socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(20)), 50);
      request.socket.once('close', () => clearInterval(announce));
    });

    const attempt = await post(await server.listening);

    expect(attempt).toMatchObject({ phase: 'answer', status: null, answer: 'NO_ANSWER' });
    expect(attempt.durationMs).toBeLessThan(5_000);
    server.close();
  });

  describe('before it sends', () => {
    const check = (url: string, allowed: string[] = []) => new HttpsWebhookSender(allowed).check(url);

    it.each([
      'https://erp.example.com/hook',
      'https://erp.example.com:8443/hook?token=1',
      'https://93.184.216.34/',
      'https://[2606:2800:220:1:248:1893:25c8:1946]/',
    ])('accepts %s', (url) => expect(() => check(url)).not.toThrow());

    it.each([
      ['erp.example.com', 'must be a URL'],
      ['http://erp.example.com/', 'must begin with https://'],
      ['ftp://erp.example.com/', 'must begin with https://'],
      ['https://user:secret@erp.example.com/', 'must not have a user or a password'],
      ['https://erp.example.com/#top', 'must not have a fragment'],
      ['https://erp.example.com:22/', 'must have the port 443 or 8443'],
      [`https://erp.example.com/${'x'.repeat(2_000)}`, 'must have at most 2000 characters'],
      ['https://localhost/', 'must have the full name of a public host'],
      ['https://api.localhost./', 'must have the full name of a public host'],
      ['https://postgres/', 'must have the full name of a public host'],
    ])('refuses %s', (url, problem) => {
      expect(() => check(url)).toThrow(new UrlNotAllowed(problem));
    });

    it.each([
      ...[
        '127.0.0.1',
        '10.1.2.3',
        '169.254.169.254',
        '172.31.0.1',
        '192.168.1.1',
        '100.64.0.1',
        '0.0.0.0',
        '255.255.255.255',
      ],
      ...['0x7f.1', '2130706433', '0177.0.0.1', '127.1', '192.0.2.1', '198.51.100.7', '203.0.113.7', '224.0.0.1'],
      ...[
        '[::1]',
        '[::]',
        '[::ffff:127.0.0.1]',
        '[::ffff:8.8.8.8]',
        '[::127.0.0.1]',
        '[64:ff9b::a00:1]',
        '[64:ff9b:1::1]',
      ],
      ...[
        '[fc00::1]',
        '[fd12::1]',
        '[fe80::1]',
        '[ff02::1]',
        '[2001:db8::1]',
        '[2001::1]',
        '[2002:7f00:1::]',
        '[3fff::1]',
      ],
      ...['[100::1]', '[5f00::1]', '[fec0::1]'],
    ])('refuses the address %s', (host) => {
      expect(() => check(`https://${host}/`)).toThrow(UrlNotAllowed);
    });

    it('accepts addresses of allowed networks on any port, and no mapped form of them', () => {
      const allowed = ['10.1.0.0/16', 'fd00:1::/32'];

      for (const host of ['10.1.2.3', '[fd00:1::7]'])
        expect(() => check(`https://${host}:9000/`, allowed)).not.toThrow();
      for (const host of ['10.2.0.1', '[::ffff:10.1.2.3]', '[fd00:2::7]', '8.8.8.8']) {
        expect(() => check(`https://${host}:9000/`, allowed)).toThrow(UrlNotAllowed);
      }
    });

    it('accepts no address of IPv4 for a network of IPv6', () => {
      expect(() => check('https://[fd00:1::7]:9000/', ['::/0'])).not.toThrow();
      for (const host of ['10.1.2.3', '127.0.0.1', '[::ffff:10.1.2.3]']) {
        expect(() => check(`https://${host}:9000/`, ['::/0'])).toThrow(UrlNotAllowed);
      }
    });
  });
});
