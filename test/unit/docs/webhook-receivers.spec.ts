import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PROGRAMS = path.join(ROOT, 'examples/webhook-receivers');
const drawSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const SECRET = drawSecret();

interface Language {
  readonly name: string;
  readonly program: string;
  readonly file: string;
  readonly start?: (port: number) => readonly string[];
  /** Whether the file reads the orders when it is started without arguments; otherwise the receiver does. */
  readonly readsBySecondStart?: boolean;
}

const LANGUAGES: readonly Language[] = [
  { name: 'js', program: process.execPath, file: 'receiver.mjs' },
  { name: 'python', program: 'python3', file: 'receiver.py' },
  {
    name: 'php',
    program: 'php',
    file: 'receiver.php',
    start: (port) => ['-S', `127.0.0.1:${port}`, 'receiver.php'],
    readsBySecondStart: true,
  },
  { name: 'java', program: 'java', file: 'Receiver.java' },
];

function sourceOf({ name, file }: Language): string {
  if (name !== 'js') return readFileSync(path.join(PROGRAMS, file), 'utf8');
  const guide = readFileSync(path.join(ROOT, 'docs/webhook-receivers.md'), 'utf8');
  const [, source] = /^```js\n([^]*?)^```$/m.exec(guide) ?? [];
  if (!source) throw new Error('docs/webhook-receivers.md has no JavaScript');
  return source;
}

function message(data: object, { secret = SECRET, secondsAgo = 0 } = {}) {
  const id = `msg_${randomBytes(20).toString('base64url')}`;
  const time = new Date(Date.now() - secondsAgo * 1000);
  const body = JSON.stringify({ type: 'any', timestamp: time.toISOString(), data: { ...data, cursor: 'MS4x' } });
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(time.getTime() / 1000)}`,
    'webhook-signature': `v1,AAAA ${new Webhook(secret).sign(id, time, body)}`,
  };
  return { headers, body };
}
const changed = (id: string) => ({ kind: 'orders', id, deleted: false });

describe.each(LANGUAGES)('the receiver of webhooks in $name', (language) => {
  const { program, file } = language;
  if (spawnSync(program, ['--version']).error) {
    it.skip(`is not tried, because ${program} is not installed`, () => undefined);
    return;
  }

  const reads: string[] = [];
  const store = createServer((request, response) => {
    reads.push(`${request.url} ${request.headers.authorization}`);
    response.end(JSON.stringify({ success: true, data: { status: 'PENDING' } }));
  });
  let folder: string;
  let receiver: ChildProcess;
  let address: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
    const port = await freePort();
    address = `http://127.0.0.1:${port}/`;
    folder = mkdtempSync(path.join(os.tmpdir(), 'receiver-'));
    writeFileSync(path.join(folder, file), sourceOf(language));
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    env = {
      PATH: process.env['PATH'] ?? '',
      WEBHOOK_SECRET: SECRET,
      STORE_URL: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
      STORE_KEY: 'svc_live_key',
      PORT: `${port}`,
    };
    receiver = spawn(program, language.start?.(port) ?? [file], { cwd: folder, env, stdio: 'ignore' });
    await eventually(() => fetch(address, { method: 'POST' }));
  });
  afterAll(async () => {
    const ended = once(receiver, 'close');
    receiver.kill();
    await ended;
    await new Promise((resolve) => store.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  const send = async (init: { headers: Record<string, string>; body: string }) =>
    (await fetch(address, { method: 'POST', ...init })).status;
  const readsOf = (id: string) => reads.filter((read) => read.includes(id));
  async function readNext(): Promise<void> {
    const id = randomUUID();
    expect(await send(message(changed(id)))).toBe(204);
    if (language.readsBySecondStart) await promisify(execFile)(program, [file], { cwd: folder, env });
    await eventually(() => expect(readsOf(id)).toHaveLength(1));
  }

  it('stores a message, and reads the order by its id', async () => {
    const id = randomUUID();

    expect(await send(message(changed(id)))).toBe(204);

    await readNext();
    await eventually(() => expect(readsOf(id)).toEqual([`/v1/orders/${id} Bearer svc_live_key`]));
  });

  it('accepts a message again, and reads the orders of a batch', async () => {
    const ids = [randomUUID(), randomUUID()];
    const batch = message({ changes: ids.map(changed) });

    expect([await send(batch), await send(batch)]).toEqual([204, 204]);

    await readNext();
    await eventually(() => expect(ids.map((id) => readsOf(id).length > 0)).toEqual([true, true]));
  });

  it('refuses what is not signed, wrongly signed, old or of the future, and reads none of it', async () => {
    const id = randomUUID();
    const data = changed(id);
    const forged = [
      { headers: {}, body: message(data).body },
      { headers: message(data).headers, body: `${message(data).body} ` },
      message(data, { secret: drawSecret() }),
      message(data, { secondsAgo: 310 }),
      message(data, { secondsAgo: -310 }),
    ];

    for (const each of forged) expect(await send(each)).toBe(401);

    // A round reads its messages in any order: after the second, the first round has ended.
    await readNext();
    await readNext();
    expect(readsOf(id)).toEqual([]);
  });

  it('answers no 2xx when it cannot store the message', async () => {
    rmSync(folder, { recursive: true });

    expect(await send(message(changed(randomUUID()))).catch(() => 'no answer')).not.toBe(204);
  });
});
