import { SmtpSink } from '../support/smtp-sink.js';
import { Campaign } from './failover/campaign.js';
import { ClusterRig } from './failover/cluster-rig.js';
import {
  etcdFrozen,
  primaryFrozen,
  primaryKilled,
  standbyFrozen,
  switchedOver,
  type Fault,
} from './failover/faults.js';
import { engineOf, missingPackages } from './failover/packages.js';
import { rollingUpdates } from './failover/rolling.js';
import { startProcesses } from './failover/processes.js';
import { primaryCrashed, waitsCancelled } from './failover/traps.js';
import { stockVerifyViolations } from './support/cli.js';
import { fateOfOrders } from './support/fate.js';
import { retriesOf } from './support/history.js';
import { askOracle } from './support/oracle.js';
import { mailMerchant, openStore } from './support/shop.js';
import { unexpectedAnswers } from './support/oracle/answers.js';
import { mailViolations } from './support/oracle/pipeline.js';
import { startPgBouncer, type Program } from './support/programs.js';
import type { Proof, ProofContext, ProofForm, ProofOutcome } from './support/proof.js';

const KILLS = 10;
const EXPECTED = [200, 201, 409, 503, null];

export const failover: Proof = {
  name: 'failover',
  promise: 'An acknowledged order survives the loss of a database server',
  attack:
    'a cluster of 3 etcd and 3 Patroni members with synchronous replication, 2 API processes and a worker, under 30 orders/s with keys and 20 reads/s: 10 × kill -9 of the primary and its Patroni, 2 switch-overs, the primary frozen and thawed, etcd frozen for 40 s, the synchronous standby frozen for 30 s, waits for a frozen standby cancelled or ended by a crash before a fail-over to it; then, through PgBouncer, every process and every member replaced and the primary killed',
  quick: true,
  missing: missingPackages,
  openRig: () => ClusterRig.open(),
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig, history } = context;
  if (!(rig instanceof ClusterRig)) throw new Error('The proof needs the rig that it opens');
  const { cluster } = rig;
  const shop = await openStore(context, 20, [1_000_000]);
  const { store, buyers } = shop;
  await mailMerchant(context, store);
  const mails = await SmtpSink.start();
  const campaign = new Campaign({ ...shop, cluster });
  let pooler: Program | null = null;
  try {
    const direct = await startProcesses(rig, { mails });
    let { services } = direct;
    await campaign.wage(faultsOf(form, rig), services, 'direct');
    if (form === 'full') {
      await Promise.all([...services, direct.worker].map((process) => process.terminate()));
      pooler = await startPgBouncer(new URL(rig.database.url));
      const pooled = await startProcesses(rig, { mails, port: pooler.port });
      ({ services } = pooled);
      await campaign.wage(rollingUpdates(rig, pooled), services, 'pooled');
    }
    buyers.close();
    const violations = [
      ...campaign.violations,
      ...unexpectedAnswers(history.exchanges, EXPECTED),
      ...(await askOracle({ context, store, services, worked: true })),
      ...(await stockVerifyViolations(rig.database.url)),
    ];
    // Also of the unacknowledged orders that a fail-over lost: a mail of one should not exist.
    violations.push(...(await mailViolations(rig.database, store.id, mails.countsByMessageId)));
    const figures = [
      ...campaign.figures,
      `${fateOfOrders(history, violations)}, all stages ended`,
      `${mails.countsByMessageId.size} mails arrived`,
      `${violations.length} violations`,
      retriesOf(history),
    ].join('; ');
    return { figures, violations, engine: await engineOf(form) };
  } finally {
    await pooler?.stop();
    await mails.close();
  }
}

function faultsOf(form: ProofForm, rig: ClusterRig): readonly Fault[] {
  const database = new URL(rig.database.url).pathname.slice(1);
  if (form === 'quick') return [primaryKilled, waitsCancelled(database)];
  return [
    ...Array.from({ length: KILLS }, () => primaryKilled),
    ...[switchedOver, switchedOver, primaryFrozen, etcdFrozen, standbyFrozen],
    ...[waitsCancelled(database), primaryCrashed(database)],
  ];
}
