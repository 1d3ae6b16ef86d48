import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { StoreFixture } from '../../builders/store-fixture.js';
import { Buyers } from '../../proof/support/buyers.js';
import { History } from '../../proof/support/history.js';
import { Rig } from '../../proof/support/rig.js';
import { inParallel, orderBody, stockShelves } from '../../proof/support/store-setup.js';
import { SmtpSink } from '../../support/smtp-sink.js';

// The number of stages that one worker process completes per second, from a backlog, with a mail server that answers in
// 5 ms: tsx test/bench/pipeline/run.ts [--orders 1500] [--answer-ms 5] [--concurrency N]

const CLIENTS = 16;
/** Fraction of mails to ignore at each end of a run: connections open at the start, and the last mails wait alone. */
const EDGE = 0.1;
const PATIENCE_MS = 120_000;

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1500' },
    'answer-ms': { type: 'string', default: '5' },
    concurrency: { type: 'string' },
  },
});

const rig = await Rig.open();
const sink = await SmtpSink.start();
try {
  const orders = Number(values.orders);
  const store = await StoreFixture.create(rig.database);
  await rig.database.query(`UPDATE stores SET contact = '{"email": "merchant@example.com"}' WHERE id = $1`, [store.id]);
  const products = await stockShelves(store, 20, [1_000_000]);
  const service = await rig.startService();
  const buyers = new Buyers(store, new History(), () => 0);
  await inParallel(CLIENTS, Array(orders).keys(), (n) => {
    const items = [{ product_id: products[n % products.length] ?? 0, quantity: 1 }];
    return buyers.insist([service], orderBody(items));
  });
  buyers.close();
  await service.terminate();
  const [waiting] = await rig.database.query<{ stages: number }>(
    `SELECT count(*)::int AS stages FROM order_stages WHERE state = 'pending'`,
  );
  const stages = waiting?.stages ?? 0;

  sink.behaviour = { kind: 'slow', at: 'message', ms: Number(values['answer-ms']) };
  const env = { SMTP_URL: sink.url, ...(values.concurrency && { WORKER_CONCURRENCY: values.concurrency }) };
  const worker = await rig.startWorker({ env });
  const giveUp = Date.now() + PATIENCE_MS;
  while (sink.mails.length < stages && Date.now() < giveUp) await delay(100);
  await worker.terminate();
  if (sink.mails.length !== stages) throw new Error(`${sink.mails.length} mails arrived for ${stages} stages`);

  const times = sink.mails.map(({ at }) => at.getTime());
  const [from, to] = [Math.floor(stages * EDGE), Math.floor(stages * (1 - EDGE))];
  const seconds = ((times[to] ?? 0) - (times[from] ?? 0)) / 1_000;
  const figures = {
    stages,
    stages_per_second: Math.round((to - from) / seconds),
    smtp_connections: sink.connections,
    answer_ms: Number(values['answer-ms']),
    concurrency: values.concurrency ?? 'default',
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  await rig.close();
  await sink.close();
}
