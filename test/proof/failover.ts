import { SmtpSink } from '../support/smtp-sink.js';
import { Campaign } from './failover/campaign.js';
import { ClusterRig, startProcesses } from './failover/cluster-rig.js';
import {
  etcdFrozen,
  primaryFrozen,
  primaryKilled,
  rollingUpdates,
  standbyFrozen,
  switchedOver,
  type Fault,
} from './failover/faults.js';
import { engineOf, missingPackages } from './failover/packages.js';
import { primaryCrashed, waitsCancelled } from './failover/traps.js';
import { stockVerifyViolations } from './support/cli.js';
import { askOracle } from './support/oracle.js';
import { startPgBouncer, type Program } from './support/programs.js';
import type { Proof, ProofContext, ProofForm, ProofOutcome } from './support/proof.js';
import { mailMerchant, openStore } from './support/shop.js';

const KILLS = 10;
const EXPECTED = [200, 201, 409, 503, null];

export const failover: Proof = {
  name: 'failover',
  missing: missingPackages,
  openRig: () => ClusterRig.open(),
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { form, rig } = context;
  if (!(rig instanceof ClusterRig)) throw new Error('The proof needs the rig that it opens');
  const shop = await openStore(context, 20, [1_000_000]);
  await mailMerchant(context, shop.store);
  const mails = await SmtpSink.start();
  const campaign = new Campaign(shop, rig.cluster);
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
    // This includes the mails of unacknowledged orders that a failover lost: none of them should exist.
    const violations = [
      ...campaign.violations,
      ...(await askOracle(shop, { services, worked: true, mails, expected: EXPECTED })),
      ...(await stockVerifyViolations(rig.database.url)),
    ];
    return { figures: campaign.figures.join('; '), violations, engine: await engineOf(form) };
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
