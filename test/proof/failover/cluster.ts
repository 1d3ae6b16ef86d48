import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { serverPort } from '../../support/free-port.js';
import type { Program } from '../support/programs.js';
import { Etcd } from './etcd.js';
import { Member } from './member.js';
import { postgresPrograms } from './packages.js';
import { patroniConfig, startPrimaryProxy } from './configurations.js';
import { Place } from './place.js';

const MEMBERS = ['m1', 'm2', 'm3'];
const TIMEOUT_MS = 120_000;
const INTERVAL_MS = 200;
const TAIL = 3_000;

export class Cluster {
  private proxy: Program | null = null;
  private readonly destroy = () => {
    this.etcd.destroy();
    for (const member of this.members) member.destroy();
    this.place.remove();
  };

  private constructor(
    private readonly place: Place,
    readonly etcd: Etcd,
    readonly members: readonly Member[],
  ) {
    // This also runs on interruption: otherwise, the programs outlive this process.
    process.once('exit', this.destroy);
  }

  static async start(): Promise<Cluster> {
    const place = new Place();
    const etcd = await Etcd.prepare(place);
    const password = randomBytes(12).toString('hex');
    const members = await Promise.all(MEMBERS.map((name) => prepareMember(place, name, { password, etcd })));
    const cluster = new Cluster(place, etcd, members);
    try {
      etcd.start();
      for (const member of members) member.start();
      cluster.proxy = await startPrimaryProxy(members.map(({ address }) => address));
      await cluster.untilWhole();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** URL of the primary, at the address that follows it. */
  get url(): string {
    const url = new URL(this.members[0]?.url ?? '');
    url.port = String(this.proxy?.port);
    return url.href;
  }

  /** Returns the primary. @param except the name of the former one. @throws Error after two minutes. */
  primary(except = ''): Promise<Member> {
    return this.find('primary', except);
  }

  /** The standby for which commits wait, and to which Patroni fails over. @throws Error after two minutes. */
  synchronousStandby(): Promise<Member> {
    return this.find('synchronous', '');
  }

  private find(role: 'primary' | 'synchronous', except: string): Promise<Member> {
    return this.eventually(`no ${role} member`, async () => {
      for (const member of this.members) if (member.name !== except && (await member.is(role))) return member;
      return null;
    });
  }

  /** Waits until the primary sends to both standbys, and a commit waits for one. @throws Error after two minutes. */
  async untilWhole(): Promise<void> {
    await this.eventually('not whole', async () => {
      const primary = await this.primary();
      await this.synchronousStandby();
      const [row] = await primary.query<{ streaming: number; synchronous: number }>(
        `SELECT count(*)::int AS streaming, count(*) FILTER (WHERE sync_state = 'sync')::int AS synchronous
         FROM pg_stat_replication WHERE state = 'streaming'`,
      );
      return row?.streaming === MEMBERS.length - 1 && row.synchronous === 1 ? primary : null;
    });
  }

  async switchOver(): Promise<void> {
    const leader = await this.primary();
    const { name: candidate } = await this.synchronousStandby();
    await leader.ask('switchover', { leader: leader.name, candidate });
  }

  /**
   * Runs a checkpoint on every member. After a failover, the service trusts a standby once it has a checkpoint of the
   * new timeline.
   */
  async checkpoint(): Promise<void> {
    await (await this.primary()).query('CHECKPOINT');
    await Promise.all(this.members.map((member) => member.query('CHECKPOINT')));
  }

  async stop(): Promise<void> {
    process.off('exit', this.destroy);
    await this.proxy?.stop();
    await Promise.all([this.etcd, ...this.members].map((one) => one.kill()));
    this.place.remove();
  }

  private async eventually<T>(complaint: string, look: () => Promise<T | null>): Promise<T> {
    const giveUpAt = Date.now() + TIMEOUT_MS;
    for (;;) {
      const found = await look().catch(() => null);
      if (found !== null) return found;
      if (Date.now() > giveUpAt) throw new Error(`The cluster has ${complaint} after ${TIMEOUT_MS} ms\n${this.logs()}`);
      await delay(INTERVAL_MS);
    }
  }

  private logs(): string {
    return this.members.map(({ name }) => this.place.tail(`${name}.log`, TAIL)).join('\n');
  }
}

async function prepareMember(
  place: Place,
  name: string,
  { password, etcd }: { readonly password: string; readonly etcd: Etcd },
): Promise<Member> {
  const address = { name, port: await serverPort(), restPort: await serverPort() };
  const data = place.file(`${name}.data`);
  const passwordFile = place.file(`${name}.pgpass`);
  const programs = postgresPrograms();
  const config = patroniConfig({ address, data, programs, passwordFile, password, etcd: etcd.clients });
  const url = new URL(`postgres://postgres:${password}@127.0.0.1:${address.port}/postgres`);
  return new Member({ place, address, config: place.write(`${name}.json`, config), data, url });
}
