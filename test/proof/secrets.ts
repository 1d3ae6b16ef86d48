import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreFixture, type Session } from '../builders/store-fixture.js';
import { codeIn } from '../support/browser.js';
import { CLIENT, LyingProvider } from '../support/lying-provider.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { QueueClock } from './support/queue-clock.js';
import type { Proof, ProofContext, ProofForm, ProofOutcome } from './support/proof.js';
import { Asker } from './secrets/asker.js';
import { Canaries, countAtHome, dumpViolations, SECRETS } from './secrets/canaries.js';
import { failMails, failOrders, type Ground } from './secrets/failures.js';
import { CommandLine, operateBadly, startBadly } from './secrets/operators.js';
import { Plants, shownIn } from './secrets/plants.js';
import { askHostilely, readEverything } from './secrets/requests.js';
import { PUBLIC_URL, signInOften } from './secrets/sign-ins.js';
import type { Service } from './support/service.js';

const SCALE = {
  full: { settings: 300, gateways: 5, perGateway: 10, customers: 50, rounds: 5 },
  quick: { settings: 60, gateways: 2, perGateway: 5, customers: 10, rounds: 1 },
};
/** The time until the last log lines are written. */
const LAST_LINES_MS = 300;
/** The proof must provoke each of these statuses: a failure that does not occur proves nothing. */
const STATUSES = [200, 201, 400, 401, 404, 422, 500, 503];

export const secrets: Proof = { name: 'secrets', run };

async function run(context: ProofContext): Promise<ProofOutcome> {
  const { database } = context.rig;
  const [sink, provider] = await Promise.all([SmtpSink.start(), LyingProvider.start()]);
  const store = await StoreFixture.create(database);
  const showForeignJobs = await new QueueClock(database, store.id).hideForeignStages();
  try {
    return await perform(context, { sink, provider, store });
  } finally {
    await showForeignJobs();
    await Promise.all([sink.close(), provider.stop()]);
  }
}

interface Surroundings {
  readonly sink: SmtpSink;
  readonly provider: LyingProvider;
  readonly store: StoreFixture;
}

async function perform(context: ProofContext, { sink, provider, store }: Surroundings): Promise<ProofOutcome> {
  const { rig, form, random } = context;
  const canaries = new Canaries();
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64')) as [string, string];
  const password = new URL(rig.database.url).password;
  canaries.others.push(oldKey, newKey, store.key, ...(password.length > 7 ? [password] : []));
  const env = { LOG_LEVEL: 'trace', DATA_ENCRYPTION_KEYS: oldKey };
  const [service, worker] = await Promise.all([
    rig.startService({ env: { ...env, ...oidcAt(provider) } }),
    rig.startWorker({ env: { ...env, SMTP_URL: sink.url } }),
  ]);
  const operator = new CommandLine({ DATABASE_URL: rig.database.url, DATA_ENCRYPTION_KEYS: oldKey });
  const asker = new Asker(service.url, canaries);
  const owner = await store.session('owner');

  const planted = await plant(context, new Plants(canaries, random), store, operator);
  const productId = await store.product({ stock: [500] });
  const order = () => orderOf(productId, canaries);
  const ground: Ground = { database: rig.database, asker, storeId: store.id, key: store.key, order };
  const problems = [
    ...planted.problems,
    ...(await signInOften({ database: rig.database, asker, canaries, sink, provider, owner })),
  ];
  canaries.others.push(await installWebhook(asker, store.key, canaries.mint('cred')));
  for (let round = 0; round < SCALE[form].rounds; round++) {
    problems.push(...(await readAll(ground, store, owner)), ...(await hidesNothingElse(ground, planted.shown)));
    await askHostilely(asker, canaries, { key: store.key, productId });
    problems.push(...(await failOrders(ground)), ...(await failMails(ground, sink)));
  }
  problems.push(...(await operateBadly(operator, canaries, { store: store.subdomain, oldKey, newKey, form })));
  const refusals = form === 'full' ? await startBadly(rig, canaries) : [];
  await end(form, [service, worker]);

  const logs = [
    ...[service, worker].map(logOf),
    ...operator.runs.map(({ command, said }) => ({ who: `cli ${command}`, said })),
    ...refusals,
  ];
  const violations = [
    ...problems,
    ...asker.violations,
    ...logs.flatMap(({ who, said }) => logViolations(who, said, canaries)),
    ...(await dumpViolations(rig.database, canaries)),
    // The mail of a code has the code.
    ...sink.mails
      .filter(({ raw }) => codeIn(raw) === '')
      .flatMap(({ raw }) => canaries.find(raw.replaceAll('=\r\n', ''), SECRETS).map((text) => `${text} in a mail`)),
    ...STATUSES.filter((status) => !asker.statuses.has(status)).map((status) => `no request was answered ${status}`),
    ...((await countAtHome(rig.database)) === 0 ? ['no secret is in the settings: nothing was planted'] : []),
  ];
  const figures =
    `${canaries.count(['sett', 'cred', 'nati', 'cust'])} secrets planted, ${canaries.count(['sent'])} sent, ` +
    `${canaries.count(['pers'])} personal; ${asker.asked} answers, ${sink.mails.length} mails, ` +
    `${operator.runs.length} commands and every table searched`;
  return { figures, violations: [...new Set(violations)] };
}

function oidcAt({ issuer }: LyingProvider): Record<string, string> {
  return {
    PUBLIC_URL,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  };
}

async function plant(context: ProofContext, plants: Plants, store: StoreFixture, operator: CommandLine) {
  const { settings, gateways, perGateway, customers } = SCALE[context.form];
  const methods = Array.from({ length: gateways }, (_, n) => ({
    methodId: `gateway-${n}`,
    enabled: true,
    credentials: plants.credentials(perGateway),
  }));
  const line = {
    kind: 'store',
    subdomain: store.subdomain,
    name: 'Store',
    currency: 'USD',
    payment_settings: { methods },
  };
  const people = Array.from({ length: customers }, (_, n) => plants.customer(store.subdomain, n));
  const places = [
    { kind: 'brand', store: store.subdomain, slug: 'brand', name: 'Brand' },
    { kind: 'category', store: store.subdomain, slug: 'category', name: 'Category' },
  ];
  const { code } = await operator.import([line, ...places, ...people]);
  const [theme, ecommerce, contact, payment, fraud] = Array.from({ length: 5 }, () => plants.settings(settings / 5));
  // Bypasses the importer: other programs may have written these columns.
  await context.rig.database.query(
    `UPDATE stores SET theme = $2, ecommerce_settings = $3, contact = $4::jsonb || '{"email": "shop@example.com"}',
       payment_settings = payment_settings || $5, fraud_settings = $6 WHERE id = $1`,
    [store.id, theme, ecommerce, contact, payment, fraud],
  );
  const shown = [theme, ecommerce, contact].reduce((sum, each) => sum + shownIn(JSON.stringify(each)), 0);
  return { shown, problems: code === 0 ? [] : ['the bundle was not imported'] };
}

/** Installs a webhook with a fixed header. @returns its secret. */
async function installWebhook(asker: Asker, key: string, header: string): Promise<string> {
  const body = { url: 'https://erp.invalid/hook' };
  const installed = await asker.ask('/v1/webhooks', { method: 'POST', key, body });
  const { id, secret } = (JSON.parse(installed.body) as { data: { id: string; secret: string } }).data;
  await asker.ask(`/v1/webhooks/${id}`, { method: 'PATCH', key, body: { headers: { Authorization: header } } });
  return secret;
}

async function readAll(ground: Ground, store: StoreFixture, owner: Session): Promise<string[]> {
  const { asker, key, order, database } = ground;
  const placed = await asker.ask('/v1/orders', { method: 'POST', key, body: order() });
  const { data } = JSON.parse(placed.body) as { data: { order_id: string; receipt_number: string } };
  const idsOf = async (table: string) => {
    const text = `SELECT id::text FROM ${table} WHERE store_id = $1 LIMIT 20`;
    return (await database.query<{ id: string }>(text, [store.id])).map(({ id }) => id);
  };
  const ids = {
    orders: [data.order_id, data.receipt_number],
    products: await idsOf('products'),
    customers: await idsOf('customers'),
    'price-lists': [await store.priceList()],
    categories: ['category'],
    brands: ['brand'],
    webhooks: await idsOf('webhooks'),
    people: [owner.id],
  };
  return readEverything(asker, { key, owner: owner.secret, ids });
}

/** Fails for a sanitizer that leaks nothing only because it shows nothing. */
async function hidesNothingElse({ asker, key }: Ground, expected: number): Promise<string[]> {
  const shown = shownIn((await asker.ask('/v1/store', { key })).body);
  return shown === expected ? [] : [`the store profile shows ${shown} of ${expected} settings that are not secret`];
}

function orderOf(productId: number, canaries: Canaries): object {
  const text = () => canaries.mint('pers');
  const place = { address: text(), city: text(), zip: '12345' };
  const customer = { name: text(), email: `${text()}@example.com`, phone: '+1 555 0100', ...place };
  const metadata = { [text()]: text() };
  return { items: [{ product_id: productId, quantity: 1, metadata }], customer, notes: text(), metadata };
}

/** Includes the output of shutdown, which takes seconds. */
async function end(form: ProofForm, services: readonly Service[]): Promise<void> {
  await delay(LAST_LINES_MS);
  await Promise.all(services.map((service) => (form === 'full' ? service.terminate() : service.kill())));
}

function logOf(service: Service): { who: string; said: string } {
  return { who: service.url === '' ? 'the worker' : 'the API', said: service.log };
}

function logViolations(who: string, said: string, canaries: Canaries): string[] {
  return said.split('\n').flatMap((line) => {
    const found = canaries.find(line, [...SECRETS, 'pers']);
    const address = /[\w.+-]+@[\w-]+\.\w/.exec(line)?.[0];
    if (address !== undefined) found.push(`the address ${address}`);
    return found.map((text) => `${text} in the output of ${who}: ${line.slice(0, 300)}`);
  });
}
