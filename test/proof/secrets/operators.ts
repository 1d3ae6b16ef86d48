import { runBuild } from '../support/cli.js';
import type { ProofForm } from '../support/proof.js';
import type { Rig } from '../support/rig.js';
import type { Canaries } from './canaries.js';

export interface Run {
  readonly command: string;
  readonly code: number | null;
  readonly said: string;
}

export class CommandLine {
  readonly runs: Run[] = [];

  constructor(private readonly env: Readonly<Record<string, string>>) {}

  async run(command: string, { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {}) {
    const { code, stdout, stderr } = await runBuild('cli', { ...this.env, ...env }, command.split(' '), input);
    const run: Run = { command, code, said: stdout + stderr };
    this.runs.push(run);
    return run;
  }

  import(lines: readonly (object | string)[]): Promise<Run> {
    const input = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    return this.run('import -', { input });
  }
}

interface Matter {
  readonly store: string;
  readonly oldKey: string;
  readonly newKey: string;
  readonly form: ProofForm;
}

export async function operateBadly(operator: CommandLine, canaries: Canaries, matter: Matter): Promise<string[]> {
  const { store, oldKey, newKey, form } = matter;
  const sent = () => canaries.mint('sent');
  const problems: string[] = [];
  const expect = async (code: number, run: Promise<{ code: number | null; command: string }>) => {
    const { code: got, command } = await run;
    if (got !== code) problems.push(`cli ${command} ended with ${got} and not with ${code}`);
  };
  const keys = (...list: string[]) => ({ env: { DATA_ENCRYPTION_KEYS: list.join(',') } });
  const lines = badLines(store, sent);
  if (form === 'quick') {
    await Promise.all([
      ...lines.slice(0, 1).map((line) => expect(1, operator.import([line]))),
      expect(1, operator.run('secrets rotate', keys(newKey))),
    ]);
    await expect(0, operator.run('secrets rotate', keys(newKey, oldKey)));
    return problems;
  }
  for (const line of lines) await expect(1, operator.import([line]));
  await expect(0, operator.run('stores list'));
  await expect(0, operator.run(`keys list --store ${store}`));
  await expect(2, operator.run(`keys revoke ${sent()} --yes`));
  await expect(0, operator.run('stock verify'));
  await expect(1, operator.run('secrets rotate', keys(newKey)));
  await expect(0, operator.run('secrets rotate', keys(newKey, oldKey)));
  await expect(0, operator.run('secrets rotate', keys(newKey)));
  await expect(2, operator.run('secrets rotate', keys(sent())));
  await expect(2, operator.run('stores list', { env: { DATABASE_URL: `mysql://user:${sent()}@127.0.0.1/x` } }));
  await expect(1, operator.run('stores list', { env: { DATABASE_URL: `postgres://user:${sent()}@127.0.0.1:1/x` } }));
  return problems;
}

function badLines(store: string, sent: () => string): (object | string)[] {
  const person = { kind: 'customer', store, name: 'Ada', email: 'ada@example.invalid' };
  const shop = { kind: 'store', subdomain: store, name: 'Store', currency: 'USD' };
  const gateway = (credentials: unknown) => ({
    ...shop,
    payment_settings: { methods: [{ methodId: 'paylark', enabled: true, credentials }] },
  });
  return [
    `{"kind":"customer","store":"${store}","national_id":"${sent()}"`,
    sent(),
    gateway(sent()),
    gateway([sent()]),
    { ...person, national_id: { number: sent() } },
    { ...person, password_hash: [sent()] },
    { ...person, name: '', email: `${sent()}`, national_id: sent() },
    { ...person, name: `\u0000${sent()}`, national_id: sent() },
    { ...person, national_id: `\u0000${sent()}`, password_hash: `\u0000${sent()}` },
    { ...person, loyalty_points: 1e15, verification_token: sent() },
    { ...person, id: `${sent()}`, national_id: sent() },
  ];
}

/** Processes that must not start. @returns those that start anyway. */
export async function startBadly(rig: Rig, canaries: Canaries): Promise<{ who: string; said: string }[]> {
  const sent = () => canaries.mint('sent');
  const environments: Record<string, string>[] = [
    { DATA_ENCRYPTION_KEYS: sent() },
    { SMTP_URL: `http://user:${sent()}@127.0.0.1` },
    { MAIL_FROM: `${sent()}@@` },
  ];
  const starts = environments.flatMap((env) => [
    { who: 'an API that does not start', start: () => rig.startService({ env }) },
    { who: 'a worker that does not start', start: () => rig.startWorker({ env }) },
  ]);
  return Promise.all(
    starts.map(async ({ who, start }) => ({
      who,
      said: await start().then(
        () => `it started despite ${canaries.mint('sent')}`,
        (error: Error) => error.message,
      ),
    })),
  );
}
