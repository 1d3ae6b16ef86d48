import { setTimeout as delay } from 'node:timers/promises';
import { Service } from '../proof/support/service.js';
import { eventually } from '../support/eventually.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

const TEST_MS = 120_000;
/** Time for a statement's time limit and for the runner to end, on a busy machine. */
const HEALED_MS = 40_000;
const ENDED_MS = 30_000;
const FAIL_OVERS = 50;
const WATCHED_MS = 3_000;
/** One loop relays four times a second. */
const RELAYS_OF_ONE_LOOP = 16;

describe('a worker', () => {
  let api: RunningApi;
  let smtp: SmtpSink;
  let proxy: TcpProxy;
  let worker: Service;
  /** Packets from the worker to its database. */
  let sent: string[];
  let mug: number;
  beforeEach(async () => {
    api = await startApi({ PIPELINE: 'off' });
    mug = await api.store.product({ stock: 1_000 });
    smtp = await SmtpSink.start();
    sent = [];
    proxy = await startTcpProxy(api.database.url, {
      onClientData: (chunk) => {
        sent.push(chunk.toString('latin1'));
        return 'pass';
      },
    });
    const env = { DATABASE_URL: proxy.url, SMTP_URL: smtp.url };
    worker = await Service.start({ role: 'worker', env });
  }, TEST_MS);
  afterEach(async () => {
    await worker.kill();
    await proxy.close();
    await smtp.close();
    await api.stop();
  }, TEST_MS);

  let customers = 0;
  const placeOrder = async () => {
    const email = `customer-${++customers}@example.com`;
    const items = [{ product_id: mug, quantity: 1 }];
    const { statusCode } = await api.post('/v1/orders', { items, customer: { name: 'Ada', email } });
    expect(statusCode).toBe(201);
    return () => expect(smtp.mails.flatMap(({ to }) => to)).toContain(email);
  };
  const lines = () =>
    worker.log
      .trim()
      .split('\n')
      .map((line) => {
        try {
          return JSON.parse(line) as { msg: string };
        } catch {
          return line;
        }
      });

  it(
    'replaces frozen database connections, logs that, and exits on SIGTERM although they are frozen',
    async () => {
      await eventually(await placeOrder());

      proxy.freezeOpenConnections();
      await eventually(await placeOrder(), HEALED_MS);

      expect(worker.log).toContain('The queue is out of reach');
      proxy.freezeOpenConnections();
      const start = Date.now();
      expect(await Promise.race([worker.terminate(), delay(ENDED_MS)])).toBe(0);
      expect(Date.now() - start).toBeLessThan(ENDED_MS);
    },
    TEST_MS,
  );

  it(
    'runs one relay loop and logs only JSON lines after its connections are cut 50 times',
    async () => {
      smtp.behaviour = { kind: 'slow', at: 'message', ms: 100 };
      for (let cut = 0; cut < FAIL_OVERS; cut++) {
        if (cut % 5 === 0) await Promise.all([placeOrder(), placeOrder()]);
        proxy.cut();
        await delay(50);
        proxy.restore();
        await delay(250);
      }
      smtp.behaviour = { kind: 'accept' };

      await eventually(await placeOrder(), HEALED_MS);
      expect(lines().filter((line) => typeof line === 'string')).toEqual([]);
      expect(sent.filter((chunk) => chunk.includes('known_crontabs'))).toEqual([]);
      sent.splice(0);
      await delay(WATCHED_MS);
      const relays = sent.filter((chunk) => chunk.includes('relay_stages'));
      expect(relays.length).toBeGreaterThan(0);
      expect(relays.length).toBeLessThan(RELAYS_OF_ONE_LOOP);
    },
    TEST_MS,
  );
});
