import { operate } from './support/cli.js';
import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import type { Rig } from './support/rig.js';

const SCALE = { full: { rounds: 10, processes: 5 }, quick: { rounds: 1, processes: 2 } };

export const migrate: Proof = { name: 'migrate', run };

async function run({ form, rig }: ProofContext): Promise<ProofOutcome> {
  const { rounds, processes } = SCALE[form];
  const violations: string[] = [];
  for (let n = 1; n <= rounds; n++) {
    const found = await startTogether(rig, `empty_${process.pid}_${n}`, processes);
    violations.push(...found.map((violation) => `round ${n}: ${violation}`));
  }
  return { figures: `${rounds} rounds × ${processes} processes`, violations };
}

async function startTogether(rig: Rig, name: string, processes: number): Promise<string[]> {
  await rig.database.query(`CREATE DATABASE ${name}`);
  const url = new URL(rig.database.url);
  url.pathname = `/${name}`;
  const all = Array.from({ length: processes });
  const [services, reports] = await Promise.all([
    Promise.allSettled(all.map(() => rig.startService({ databaseUrl: url.href }))),
    Promise.all(all.map(() => operate<{ applied: string[] }>(url.href, 'migrate'))),
  ]);
  const started = services.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const applied = reports.flatMap((report) => report.applied);
  const violations = services.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  if (applied.length === 0) violations.push('nothing was migrated');
  for (const migration of new Set(applied)) {
    const times = applied.filter((other) => other === migration).length;
    if (times > 1) violations.push(`${migration} was applied ${times} times`);
  }
  await Promise.all(started.map((service) => service.kill()));
  await rig.database.query(`DROP DATABASE ${name} WITH (FORCE)`);
  return violations;
}
