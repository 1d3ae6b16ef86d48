import { SmtpSink } from '../support/smtp-sink.js';
import { killServer } from './support/crash/server-kills.js';
import { killOnce, killServices, startVictims } from './support/crash/service-kills.js';
import { Crowd } from './support/crowd.js';
import { fateOfOrders } from './support/fate.js';
import { retriesOf } from './support/history.js';
import { askOracle } from './support/oracle.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import { mailViolations } from './support/oracle/pipeline.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { mailMerchant, openShop, type Shop } from './support/shop.js';

const PRODUCTS = 10;
const BINS = [100_000, 100_000];
const EXPECTED = [200, 201, 409, 503, null];

export const crash: Proof = {
  name: 'crash',
  promise: 'An acknowledged order survives every crash of the service and of PostgreSQL, and no order is placed twice',
  attack:
    'kill -9 of the service at 6 named points × 20 and at 100 random moments, and kill -9 of PostgreSQL, 20 rounds, all under load; clients retry with their Idempotency-Key',
  quick: true,
  run: (context) => (context.form === 'full' ? runFull(context) : runQuick(context)),
};

async function runFull(context: ProofContext): Promise<ProofOutcome> {
  const { rig, history, random } = context;
  const { server } = rig;
  if (!server) throw new Error('crash kills PostgreSQL, so it needs its own server: run it without DATABASE_URL');
  const shop = await openShopWithContact(context);
  const { store, services, buyers } = shop;
  const sink = await SmtpSink.start();
  await rig.startWorker({ env: { SMTP_URL: sink.url } });

  const victims = await startVictims(rig);
  const inFrontOfServices = new Crowd(shop, { size: 10, pauseMs: 300, services: victims, label: 'service' });
  const attack = killServices(victims, random, { perPoint: 20, atRandom: 100 });
  const { result: kills, violations } = await inFrontOfServices.whileIn(attack);
  await Promise.all(victims.map((victim) => victim.close()));

  const inFrontOfServer = new Crowd(shop, { size: 10, pauseMs: 60, services, label: 'server' });
  const { result: outages, violations: refused } = await inFrontOfServer.whileIn(killServer(shop, server, 20));
  violations.push(...outages.violations, ...refused);
  buyers.close();

  violations.push(...unexpectedAnswers(history.exchanges, EXPECTED));
  const faultsEnded = Date.now();
  violations.push(...(await askOracle({ context, store, services, worked: true })));
  const settled = Math.round((Date.now() - faultsEnded) / 1_000);
  violations.push(...(await mailViolations(rig.database, store.id, sink.countsByMessageId)));
  await sink.close();

  const figures =
    `${kills.deaths} × kill -9 of the service (6 points × 20, 100 at random), again ready after at most ` +
    `${kills.slowestStartMs} ms; 20 × kill -9 of PostgreSQL, answering at most ${outages.slowestMs} ms after it was ` +
    `back; ${fateOfOrders(history, violations)}, all stages ended within ${settled} s; ${violations.length} violations; ` +
    retriesOf(history);
  return { figures, violations };
}

/** Kills no server, and the service only twice: starting services takes most of the time. */
async function runQuick(context: ProofContext): Promise<ProofOutcome> {
  const { rig, history, random } = context;
  const shop = await openShopWithContact(context);
  const { store, services, buyers } = shop;
  const victims = await startVictims(rig, 2);
  const crowd = new Crowd(shop, { size: 12, pauseMs: 40, services: [...victims, ...services], label: 'crash' });
  const { result: kills, violations } = await crowd.whileIn(killOnce(victims, random));
  buyers.close();
  await Promise.all(victims.map((victim) => victim.close()));

  violations.push(
    ...unexpectedAnswers(history.exchanges, EXPECTED),
    ...(await askOracle({ context, store, services })),
  );
  const figures = `${kills.deaths} × kill -9; ${fateOfOrders(history, violations)}; ${violations.length} violations; ${retriesOf(history)}`;
  return { figures, violations };
}

async function openShopWithContact(context: ProofContext): Promise<Shop> {
  const shop = await openShop(context, PRODUCTS, BINS);
  await mailMerchant(context, shop.store);
  return shop;
}
