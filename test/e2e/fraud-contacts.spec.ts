import { StoreFixture } from '../builders/store-fixture.js';
import { type Assessment, FraudScene, minutesAgo } from '../support/fraud-scene.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const ADA = { email: 'ada@example.com', phone: '+1 (555) 010-0', address: '1 Main St.', city: 'London', zip: 'N1 2AB' };

describe('fraud analysis of contacts', () => {
  let api: RunningApi;
  let scene: FraudScene;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());
  beforeEach(async () => (scene = await FraudScene.create(api)));

  const rows = (table: string) => api.database.query(`SELECT * FROM ${table} WHERE store_id = $1`, [scene.store.id]);

  describe('by velocity', () => {
    it('scores repeated orders of one e-mail in any letter case: ACCEPT alone, REVIEW with a second rule', async () => {
      await scene.configure({ review_orders_per_email: 6 });
      const verdicts: Assessment[] = [];
      for (const email of ['ada@example.com', 'ADA@example.com', 'Ada@Example.COM', 'aDa@example.com']) {
        verdicts.push(await scene.assess({ email }));
      }
      const weak = { rule: 'email_velocity', score: 30 };

      expect(verdicts.map(({ verdict }) => verdict)).toEqual(['ACCEPT', 'ACCEPT', 'ACCEPT', 'ACCEPT']);
      expect(verdicts[3]).toEqual({ verdict: 'ACCEPT', score: 30, reasons: [weak] });
      await scene.recentOrders(3, { customer_email: 'ada@sub.mailinator.com' });
      expect(await scene.assess({ email: 'ada@sub.mailinator.com' })).toEqual({
        verdict: 'REVIEW',
        score: 60,
        reasons: [weak, { rule: 'disposable_email', score: 30 }],
      });
    });

    it('matches no rule for a business customer with ten orders in an hour', async () => {
      const address = { address: ADA.address, city: ADA.city, zip: ADA.zip };
      await scene.recentOrders(10, { customer_email: ADA.email, customer_phone: ADA.phone, shipping_address: address });

      expect(await scene.assess(ADA)).toEqual({ verdict: 'ACCEPT', score: 0, reasons: [] });
    });

    it("uses the store's own limit, and matches no velocity rule when the limit is null", async () => {
      await scene.recentOrders(100, { customer_email: ADA.email });
      expect(await scene.rules({ email: ADA.email })).toEqual(['email_velocity_high']);

      await scene.configure({ review_orders_per_email: 102 });
      expect(await scene.rules({ email: ADA.email })).toEqual(['email_velocity']);
      expect(await scene.rules({ email: ADA.email })).toEqual(['email_velocity_high']);
      await scene.configure({ review_orders_per_email: null });
      expect(await scene.rules({ email: ADA.email })).toEqual([]);
    });

    it.each([['30'], [0], [-5], [true], [{}]])('uses the default for the invalid limit %j', async (value) => {
      await scene.configure({ review_orders_per_email: value });
      await scene.recentOrders(29, { customer_email: ADA.email });
      expect(await scene.rules({ email: ADA.email })).toEqual(['email_velocity']);
      expect(await scene.rules({ email: ADA.email })).toEqual(['email_velocity_high']);
    });

    it.each([
      ['e-mail', { customer_email: 'ADA@Example.com' }, { email: ADA.email }, 15, 'email_velocity'],
      [
        'e-mail at the upper limit',
        { customer_email: ADA.email },
        { email: 'ADA@EXAMPLE.com' },
        30,
        'email_velocity_high',
      ],
      ['phone', { customer_phone: '001-555-0100' }, { phone: ADA.phone }, 15, 'phone_velocity'],
      ['phone with letters', { customer_phone: 'call 1555 0100' }, { phone: '+15550100' }, 15, 'phone_velocity'],
      [
        'address',
        { shipping_address: { address: ' 1 MAIN  st', city: 'Londn', zip: 'n12ab' } },
        ADA,
        30,
        'address_velocity',
      ],
      [
        'address without zip',
        { shipping_address: { address: '1, main st', city: 'LONDON', zip: '' } },
        { ...ADA, zip: '' },
        60,
        'address_velocity_high',
      ],
    ])('counts orders of the same %s in a different notation', async (_case, columns, customer, count, rule) => {
      await scene.recentOrders(count - 1, columns);
      expect(await scene.rules(customer)).not.toContain(rule);

      await scene.recentOrders(1, columns);

      expect(await scene.rules(customer)).toContain(rule);
    });

    it.each([
      ['older than an hour', { created_at: minutesAgo(61) }],
      ['of a point of sale', { source: 'POS' }],
    ])('does not count orders %s for velocity', async (_case, values) => {
      const address = { address: ADA.address, city: ADA.city, zip: ADA.zip };
      const contact = { customer_email: ADA.email, customer_phone: ADA.phone, shipping_address: address };
      await scene.recentOrders(30, { ...contact, ...values });

      expect(await scene.rules(ADA)).toEqual([]);
    });

    it('does not count orders of other stores for velocity', async () => {
      const address = { address: ADA.address, city: ADA.city, zip: ADA.zip };
      const contact = { customer_email: ADA.email, customer_phone: ADA.phone, shipping_address: address };
      await scene.recentOrders(30, contact, await StoreFixture.create(api.database));

      expect(await scene.rules(ADA)).toEqual([]);
    });

    it.each([
      ['orders without contacts', {}, {}],
      ['a phone without digits', { customer_phone: 'none' }, { phone: 'n/a' }],
      [
        'an address of spaces',
        { shipping_address: { address: ' ', city: '', zip: 'N1' } },
        { address: ' ', zip: 'N1' },
      ],
      [
        'an address that differs only in punctuation',
        { shipping_address: { address: 'Flat 1/2', city: '', zip: 'N1' } },
        { address: 'Flat 12', zip: 'N1' },
      ],
      [
        'the same street in another city',
        { shipping_address: { address: '1 Main St', city: 'Leeds', zip: '' } },
        { address: '1 Main St', city: 'London' },
      ],
    ])('matches no rule for %s', async (_case, columns, customer) => {
      await scene.recentOrders(30, columns);

      expect(await scene.rules(customer)).toEqual([]);
    });

    it('creates an order with the longest e-mail, phone and address that are accepted', async () => {
      const random = (length: number) =>
        Array.from({ length }, () => String.fromCodePoint(0x20000 + Math.floor(Math.random() * 40_000))).join('');
      const customer = { phone: '1'.repeat(40), address: random(500), city: random(200), zip: random(32) };

      expect((await scene.place({ ...customer, email: `${'x'.repeat(252)}@b` })).statusCode).toBe(201);
    });
  });

  describe('by disposable e-mails', () => {
    it.each(['x@mailinator.com', 'X@MAILINATOR.COM', 'x@a.b.mailinator.com'])(
      'accepts an order of the disposable e-mail %s with a score of 30',
      async (email) => {
        const reasons = [{ rule: 'disposable_email', score: 30 }];

        expect(await scene.assess({ email })).toEqual({ verdict: 'ACCEPT', score: 30, reasons });
      },
    );

    it.each(['x@my-mailinator.example.com', 'mailinator.com@example.com', 'x@com', ''])(
      'does not match the e-mail %j as disposable',
      async (email) => {
        expect(await scene.rules({ email })).toEqual([]);
      },
    );

    it('sets REVIEW for a disposable e-mail together with a second rule', async () => {
      await scene.recentOrders(15, { customer_phone: ADA.phone });

      const { verdict } = await scene.assess({ email: 'x@mailinator.com', phone: ADA.phone });

      expect(verdict).toBe('REVIEW');
    });
  });

  describe('by blocked contacts', () => {
    it.each([
      ['e-mail', { email: 'thief@example.COM' }],
      ['phone', { phone: '15550199' }],
    ])('returns 422 for a blocked %s and stores only the assessment', async (_case, customer) => {
      await scene.configure({ blocked_emails: ['Thief@Example.com'], blocked_phones: ['+1 (555) 0199'] });

      const response = await scene.place(customer);

      expect(response.statusCode).toBe(422);
      expect(response.json()).toMatchObject({ error: 'The order cannot be accepted' });
      expect(await rows('orders')).toEqual([]);
      expect(await rows('fraud_assessments')).toMatchObject([{ verdict: 'REJECT' }]);
      expect(await scene.store.onHand(scene.product)).toBe(5000);
    });

    it('stores every matching rule in the assessment of a blocked customer', async () => {
      await scene.configure({ blocked_emails: ['x@mailinator.com'], blocked_phones: ['001 555 0100'] });

      const response = await scene.place({ email: 'X@Mailinator.com', phone: ADA.phone });

      expect(response.statusCode).toBe(422);
      expect(await rows('fraud_assessments')).toMatchObject([
        {
          verdict: 'REJECT',
          score: 230,
          reasons: [
            { rule: 'blocked_email', score: 100 },
            { rule: 'blocked_phone', score: 100 },
            { rule: 'disposable_email', score: 30 },
          ],
        },
      ]);
      expect(await rows('orders')).toEqual([]);
      expect(await scene.store.onHand(scene.product)).toBe(5000);
    });
  });
});
