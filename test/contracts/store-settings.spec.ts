import { StoreSettings, type ChangeOrigin, type SettingsRecord } from '@app/application';
import { NotFound, SettingsRefused, StaleSettings } from '@app/domain';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

const ORIGIN: ChangeOrigin = { actor: { type: 'operator', id: '', name: 'ops' }, address: null };

let application: RunningApplication;
let settings: StoreSettings;
let store: StoreFixture;
beforeAll(async () => {
  application = await startApplication();
  settings = application.app.get(StoreSettings, { strict: false });
});
beforeEach(async () => {
  store = await StoreFixture.create(application.database);
});
afterAll(() => application.stop());

const change = (values: SettingsRecord, expected: SettingsRecord = {}) =>
  settings.change(store.id, { settings: values, expected, origin: ORIGIN });

const setColumn = (column: string, value: object) =>
  application.database.query(`UPDATE stores SET ${column} = $2 WHERE id = $1`, [store.id, JSON.stringify(value)]);

describe('StoreSettings', () => {
  it('finds no settings of a store that does not exist, and changes none', async () => {
    await expect(settings.find(999_999_999)).rejects.toThrow(NotFound);
  });

  it('returns after a change what it finds later', async () => {
    const changed = await change({ name: 'Acme', theme: { font: 'Inter' }, contact: { phone: '1' } });

    expect(changed).toMatchObject({
      name: 'Acme',
      theme: { font: 'Inter' },
      contact: { phone: '1' },
      time_zone: 'UTC',
    });
    expect(await settings.find(store.id)).toEqual(changed);
  });

  it('refuses a zone that PostgreSQL does not know, and a secret that is not stored, and changes nothing', async () => {
    const before = await settings.find(store.id);

    await expect(change({ name: 'Acme', time_zone: 'Europe/Atlantis' })).rejects.toThrow(SettingsRefused);
    await expect(change({ name: 'Acme', theme: { api_key: 'set' } })).rejects.toThrow(
      new SettingsRefused([
        { path: 'theme.api_key', message: 'has no stored secret to keep, or several: send the secret itself' },
      ]),
    );
    await expect(change({ name: 'Acme' }, { name: 'Other' })).rejects.toThrow(new StaleSettings(['name']));
    expect(await settings.find(store.id)).toEqual(before);
  });

  it('shows only declared parts of settings whose parts the bundle declares', async () => {
    await setColumn('fraud_settings', { review_amount: 1, other: 'x' });
    await setColumn('contact', { phone: '1', fax: '2' });
    await setColumn('payment_settings', { methods: [{ methodId: 'cod', enabled: true, key: 'x' }], note: 'a' });

    expect(await settings.find(store.id)).toMatchObject({
      fraud_settings: { review_amount: 1 },
      contact: { phone: '1' },
      payment_settings: { methods: [{ methodId: 'cod', enabled: true }], note: 'a' },
    });
    expect(JSON.stringify(await settings.find(store.id))).not.toMatch(/other|fax|"key"/);
  });
});
