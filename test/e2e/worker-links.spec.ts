import { setTimeout as delay } from 'node:timers/promises';
import { Service } from '../proof/support/service.js';
import { eventually } from '../support/eventually.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

const TEST_MS = 120_000;
/** Time for a statement's time limit, on a busy machine. */
const HEALED_MS = 40_000;
const ENDED_MS = 30_000;

describe('a worker', () => {
  let api: RunningApi;
  let smtp: SmtpSink;
  let proxy: TcpProxy;
  let worker: Service;
  let mug: number;
  beforeEach(async () => {
    api = await startApi({ PIPELINE: 'off' });
    mug = await api.store.product({ stock: 1_000 });
    smtp = await SmtpSink.start();
    proxy = await startTcpProxy(api.database.url);
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
});
