import { setTimeout as delay } from 'node:timers/promises';
import { serverPort } from '../../support/free-port.js';
import { Daemon } from './daemon.js';
import type { Place } from './place.js';

const NAMES = ['e1', 'e2', 'e3'];

export class Etcd {
  private daemons: readonly Daemon[] = [];

  private constructor(
    private readonly place: Place,
    private readonly members: readonly { name: string; client: number; peer: number }[],
  ) {}

  static async prepare(place: Place): Promise<Etcd> {
    const member = async (name: string) => ({ name, client: await serverPort(), peer: await serverPort() });
    return new Etcd(place, await Promise.all(NAMES.map(member)));
  }

  get clients(): string[] {
    return this.members.map(({ client }) => `127.0.0.1:${client}`);
  }

  start(): void {
    const peers = this.members.map(({ name, peer }) => `${name}=http://127.0.0.1:${peer}`).join();
    this.daemons = this.members.map(({ name, client, peer }) =>
      Daemon.start(this.place, name, [
        'etcd',
        ...['--name', name, '--data-dir', this.place.file(`${name}.etcd`), '--enable-v2=true'],
        ...urls('client-urls', client, ['listen', 'advertise']),
        ...urls('peer-urls', peer, ['listen', 'initial-advertise']),
        ...['--initial-cluster', peers, '--initial-cluster-state', 'new'],
      ]),
    );
  }

  async freeze(milliseconds: number): Promise<void> {
    for (const daemon of this.daemons) daemon.signal('SIGSTOP');
    await delay(milliseconds);
    for (const daemon of this.daemons) daemon.signal('SIGCONT');
  }

  async kill(): Promise<void> {
    await Promise.all(this.daemons.map((daemon) => daemon.kill()));
  }

  destroy(): void {
    for (const daemon of this.daemons) daemon.signal('SIGKILL');
  }
}

function urls(what: string, port: number, kinds: readonly string[]): string[] {
  return kinds.flatMap((kind) => [`--${kind}-${what}`, `http://127.0.0.1:${port}`]);
}
