import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { startBuiltApi, type BuiltApi } from '../support/built-api.js';

const run = (command: string) =>
  JSON.parse(execFileSync('/bin/sh', ['-c', `${command} --silent`], { encoding: 'utf8' })) as Record<string, unknown>;

/** Signs in like the page of the dashboard. @returns the token of the link. */
async function useLink(output: string): Promise<string> {
  const printed = /Sign-in link {3}(http:\/\/127\.0\.0\.1:\d+)\/dashboard\/#\/enter\/([\w-]+)\n/.exec(output);
  const [, address = '', link = ''] = printed ?? [];
  const headers = { origin: address, 'content-type': 'application/json' };
  const enter = () =>
    fetch(`${address}/dashboard/session`, { method: 'POST', headers, body: JSON.stringify({ link }) });
  expect((await fetch(`${address}/dashboard/`)).status).toBe(200);
  const entered = await enter();
  const person = { email: 'owner@larkmoor.example', role: 'owner' };
  expect(await entered.json()).toMatchObject({ data: { person, store: { subdomain: 'larkmoor' } } });
  const cookie = entered.headers.getSetCookie().map((line) => line.split(';')[0]);
  const session = { cookie: cookie.join('; '), 'x-dashboard': 'live' };
  const people = await fetch(`${address}/v1/people`, { headers: session });
  expect(await people.json()).toMatchObject({ data: [person] });
  expect((await enter()).status).toBe(422);
  return link;
}

describe('npm start on a new data directory', () => {
  let dataDir: string;
  let api: BuiltApi;
  let port: number;
  beforeAll(async () => {
    dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'store commerce smoke-'));
    port = await freePort();
    api = startBuiltApi({ DATA_DIR: dataDir, HOST: '', PORT: String(port) });
  });
  afterAll(() => {
    api.process.kill('SIGKILL');
    fs.rmSync(dataDir, { recursive: true, force: true });
  });

  const serversOnDataDir = () =>
    execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes('postgres') && line.includes(dataDir));

  it('is ready when the keys are printed, and listens on this machine only', async () => {
    const statusOf = (host: string, path: string) =>
      fetch(`http://${host}:${port}${path}`).then(
        ({ status }) => status,
        () => null,
      );
    while ((await statusOf('127.0.0.1', '/health/ready')) !== 200) expect(api.process.exitCode).toBeNull();
    await statusOf('127.0.0.1', '/health/live'); // Everything printed before is read by now.

    expect(api.output()).toContain(`running at http://127.0.0.1:${port} with a demo store`);
    expect(api.output()).toMatch(/svc_live_\w+/);
    expect(await statusOf('127.0.0.2', '/health/live')).toBeNull();
  });

  it('prints working keys, requests and a link, stops cleanly, and has all data after a restart', async () => {
    await api.says(/running at (http:\/\/\S+) with a demo store[^]*Create an order/);
    const [list = '', order = ''] = api.output().match(/curl .*/g) ?? [];

    expect(run(list)).toMatchObject({ success: true, pagination: { page: 1, limit: 3 } });
    const created = run(order) as { success: boolean; data: { receipt_number: string } };
    expect(created).toMatchObject({ success: true, data: { payment_method: 'COD' } });
    const link = await useLink(api.output());
    const [newKey = ''] = /DATA_DIR=.*/.exec(api.output()) ?? [];
    const shell = (command: string) => spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' });
    expect(JSON.parse(shell(newKey).stdout)).toMatchObject({ mode: 'live', status: 'ACTIVE' });
    expect(shell(newKey.replace(/--store \w+/, '--store nobody'))).toMatchObject({
      status: 1,
      stderr: `error: Store nobody not found\nLooked in the embedded database of ${dataDir}.\n`,
    });
    api.process.kill('SIGTERM');
    expect(await api.ended()).toBe(0);
    expect(api.errors()).toBe('');
    expect(serversOnDataDir()).toEqual([]);

    api = startBuiltApi({ DATA_DIR: dataDir });
    const [, address] = await api.says(
      /running at (\S+)[^]*npx store-commerce keys create --store \w+[^]*Sign-in link .*\n/,
      40_000,
    );
    expect(api.output()).not.toMatch(/svc_(live|test)_/);
    expect(await useLink(api.output())).not.toBe(link);
    const again = list.replace(
      /http:\/\/[^/]+\/v1\/products\?limit=3/,
      `${address}/v1/orders?search=${created.data.receipt_number}`,
    );
    expect(run(again)).toMatchObject({ pagination: { total: 1 } });
    // The service restarts a killed database at the same address.
    process.kill(
      Number(fs.readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]),
      'SIGKILL',
    );
    await api.says(/ended by itself/);
    await eventually(() => expect(run(again)).toMatchObject({ pagination: { total: 1 } }));
    api.process.kill('SIGINT');
    expect(await api.ended()).toBe(0);
    expect(serversOnDataDir()).toEqual([]);
  });

  it('prints no link when the dashboard is off', async () => {
    api = startBuiltApi({ DATA_DIR: dataDir, DASHBOARD: 'off' });
    await api.says(/running at [^]*\n\n {2}Documentation [^]*keys create .*\n/);
    api.process.kill('SIGTERM');
    expect(await api.ended()).toBe(0);

    expect(api.output()).not.toContain('/dashboard');
  });
});
