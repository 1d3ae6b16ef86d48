import { setTimeout as delay } from 'node:timers/promises';
import { SmtpSink } from '../support/smtp-sink.js';
import { KILL_POINTS, Victim, type KillPoint } from './crash/victim.js';
import { Loops } from './support/loops.js';
import { askOracle } from './support/oracle.js';
import type { PostgresServer } from './support/postgres-server.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { timeToRecover } from './support/recovery.js';
import { anyItem, mailMerchant, openShop, type Shop } from './support/shop.js';
import { oneOf, orderBody, shuffled } from './support/store-setup.js';

const EXPECTED = [200, 201, 409, 503, null];
/** The numbers of the full form: deaths of the service at each point and at random moments, and of PostgreSQL. */
const [PER_POINT, AT_RANDOM, OF_SERVER] = [20, 100, 20];
const LONGEST_LIFE_MS = 600;
const LONGEST_UPTIME_MS = 1_500;
const RECOVERY_LIMIT_MS = 5_000;
/** A buyer in this many sends no Idempotency-Key, and so must not retry. */
const KEYLESS = 5;

export const crash: Proof = { name: 'crash', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const shop = await openShop(context, 10, [100_000, 100_000]);
  await mailMerchant(context, shop.store);
  // There are two, so that one can be killed while the other starts.
  const victims = await Promise.all([Victim.start(context), Victim.start(context)]);
  return context.form === 'full' ? runFull(shop, victims) : runQuick(shop, victims);
}

async function runFull(shop: Shop, victims: readonly Victim[]): Promise<ProofOutcome> {
  const { context, services } = shop;
  const { rig } = context;
  const { server } = rig;
  if (!server) throw new Error('crash kills PostgreSQL, so it needs its own server: run it without DATABASE_URL');
  const mails = await SmtpSink.start();
  await rig.startWorker({ env: { SMTP_URL: mails.url } });
  const violations: string[] = [];

  const ofServices = new Crowd(shop, { size: 10, pauseMs: 300, services: victims, label: 'service' }, violations);
  const slowestStartMs = await ofServices.whileIn(killServices(context, victims));
  await Promise.all(victims.map((victim) => victim.close()));
  const ofServer = new Crowd(shop, { size: 10, pauseMs: 60, services, label: 'server' }, violations);
  const slowestMs = await ofServer.whileIn(killServer(shop, server));
  if (slowestMs >= RECOVERY_LIMIT_MS) violations.push(`the service answered only after ${slowestMs} ms`);

  violations.push(...(await askOracle(shop, { services, worked: true, mails, expected: EXPECTED })));
  await mails.close();
  const figures =
    `${PER_POINT * KILL_POINTS.length + AT_RANDOM} × kill -9 of the service, again ready after at most ` +
    `${slowestStartMs} ms; ${OF_SERVER} × kill -9 of PostgreSQL, answering at most ${slowestMs} ms after it was back`;
  return { figures, violations };
}

/** Kills no server, and each service once: starting services takes most of the time. */
async function runQuick(shop: Shop, victims: readonly Victim[]): Promise<ProofOutcome> {
  const { services } = shop;
  const violations: string[] = [];
  const options = { size: 12, pauseMs: 40, services: [...victims, ...services], label: 'crash' };
  const aroundCommit = KILL_POINTS.slice(-2);
  const deaths = Promise.all(victims.map((victim, n) => victim.dieAt(aroundCommit[n] as KillPoint)));
  await new Crowd(shop, options, violations).whileIn(deaths);
  await Promise.all(victims.map((victim) => victim.close()));

  violations.push(...(await askOracle(shop, { services, expected: EXPECTED })));
  return { figures: `${victims.length} × kill -9`, violations };
}

async function killServices({ random }: ProofContext, victims: readonly Victim[]): Promise<number> {
  const atPoints = KILL_POINTS.flatMap((point) => Array<KillPoint>(PER_POINT).fill(point));
  const deaths = shuffled([...atPoints, ...Array<null>(AT_RANDOM).fill(null)], random);
  let slowest = 0;
  const suffer = async (victim: Victim) => {
    for (let point = deaths.pop(); point !== undefined; point = deaths.pop()) {
      await (point ? victim.dieAt(point) : victim.dieAfter(random(LONGEST_LIFE_MS)));
      slowest = Math.max(slowest, await victim.riseAgain());
    }
  };
  await Promise.all(victims.map(suffer));
  return slowest;
}

async function killServer(shop: Shop, server: PostgresServer): Promise<number> {
  const { random } = shop.context;
  let slowest = 0;
  for (let n = 1; n <= OF_SERVER; n++) {
    await delay(random(LONGEST_UPTIME_MS));
    await server.kill();
    await delay(random(LONGEST_UPTIME_MS));
    await server.start();
    const recoveries = shop.services.map((service, place) => timeToRecover(shop, service, `recovery-${n}-${place}`));
    slowest = Math.max(slowest, ...(await Promise.all(recoveries)));
  }
  return slowest;
}

interface CrowdOptions {
  readonly services: readonly { readonly url: string }[];
  readonly size: number;
  readonly pauseMs: number;
  readonly label: string;
}

class Crowd {
  private readonly members: Loops;
  private ordered = 0;

  constructor(
    private readonly shop: Shop,
    private readonly options: CrowdOptions,
    private readonly violations: string[],
  ) {
    const order = () => this.order(++this.ordered).catch((error: Error) => violations.push(error.message));
    this.members = new Loops(shop.context.random, options.size, options.pauseMs, order);
  }

  async whileIn<T>(attack: Promise<T>): Promise<T> {
    return attack.finally(() => this.members.stop());
  }

  private async order(n: number): Promise<void> {
    const { buyers, context } = this.shop;
    const { services, label } = this.options;
    const lines = Array.from({ length: 1 + context.random(3) }, () => anyItem(this.shop, 2));
    const body = orderBody(lines, label);
    if (n % KEYLESS === 0) return void (await buyers.send(oneOf(services, context.random), { body }));
    const { status } = await buyers.insist(services, body, { key: `${label}-${n}` });
    if (status !== 201) this.violations.push(`${label}-${n} was answered ${status}`);
  }
}
