import { wholeAddress } from '../shared/postal-address.js';
import { assessFraud, withOwnRules } from './fraud-assessment.js';
import { DEFAULT_FRAUD_SETTINGS, type FraudFacts, type FraudSettings, type FraudSignals } from './fraud-facts.js';
import { FRAUD_RULES, REJECT_SCORE, rulesAbout } from './fraud-rules.js';

const NO_FACTS: FraudFacts = { ordersByEmail: 0, ordersByPhone: 0, ordersByAddress: 0, disposableEmail: false };
const SIGNALS: FraudSignals = {
  email: 'ada@example.test',
  phone: '',
  address: wholeAddress({}),
  total: 1000,
  items: [{ productId: 1, variantId: null, quantity: 1 }],
};

function assess(
  signals: Partial<FraudSignals>,
  settings: Partial<FraudSettings> = {},
  facts: Partial<FraudFacts> = {},
) {
  return assessFraud({ ...SIGNALS, ...signals }, { ...DEFAULT_FRAUD_SETTINGS, ...settings }, { ...NO_FACTS, ...facts });
}

const rulesOf = (...given: Parameters<typeof assess>) => assess(...given).reasons.map(({ rule }) => rule);

describe('assessFraud', () => {
  it('accepts an order when no rule fires', () => {
    expect(assess({})).toEqual({ verdict: 'ACCEPT', score: 0, reasons: [] });
  });

  it.each([
    ['blocked_email', { email: 'eve@example.test' }, { blockedEmails: ['x@y.test', 'eve@example.test'] }],
    ['blocked_email', { email: 'EVE@Example.TEST' }, { blockedEmails: ['eve@example.test'] }],
    ['blocked_email', { email: 'eve@example.test' }, { blockedEmails: [' Eve@example.test '] }],
    ['blocked_phone', { phone: '+1 (555) 010-0' }, { blockedPhones: ['15550100'] }],
    ['blocked_phone', { phone: '15550100' }, { blockedPhones: ['+1-555-0100'] }],
    ['blocked_phone', { phone: '0015550100' }, { blockedPhones: ['+1 5550100'] }],
    ['blocked_phone', { phone: '+1 5550100' }, { blockedPhones: ['00 1 555 0100'] }],
  ])('rejects for %s: %j with %j', (rule, signals, settings) => {
    const reasons = [{ rule, score: 100 }];

    expect(assess(signals, settings)).toEqual({ verdict: 'REJECT', score: 100, reasons });
  });

  it.each([
    ['an order without e-mail', { email: '' }, { blockedEmails: ['', ' '] }],
    ['an order without phone', { phone: '' }, { blockedPhones: ['', '-', '00'] }],
    ['a phone without digits', { phone: 'none' }, { blockedPhones: ['n/a'] }],
    [
      'an address that only contains a blocked one',
      { email: 'steve@example.test' },
      { blockedEmails: ['eve@example.test'] },
    ],
    ['a phone that only contains a blocked one', { phone: '155501001' }, { blockedPhones: ['15550100'] }],
  ])('does not treat %s as blocked', (_case, signals, settings) => {
    expect(assess(signals, settings).verdict).toBe('ACCEPT');
  });

  it.each([
    [4999, 5000, 'ACCEPT'],
    [5000, 5000, 'REVIEW'],
    [5001, 5000, 'REVIEW'],
    [0, 0, 'REVIEW'],
    [Number.MAX_SAFE_INTEGER, null, 'ACCEPT'],
  ])('judges a total of %d with a review amount of %j: %s', (total, reviewAmount, verdict) => {
    expect(assess({ total }, { reviewAmount }).verdict).toBe(verdict);
  });

  it.each([
    ['ordersByEmail', 14, []],
    ['ordersByEmail', 15, ['email_velocity']],
    ['ordersByEmail', 29, ['email_velocity']],
    ['ordersByEmail', 30, ['email_velocity_high']],
    ['ordersByPhone', 14, []],
    ['ordersByPhone', 15, ['phone_velocity']],
    ['ordersByPhone', 29, ['phone_velocity']],
    ['ordersByPhone', 30, ['phone_velocity_high']],
    ['ordersByAddress', 29, []],
    ['ordersByAddress', 30, ['address_velocity']],
    ['ordersByAddress', 59, ['address_velocity']],
    ['ordersByAddress', 60, ['address_velocity_high']],
  ])('with %s %d names %j', (fact, count, rules) => {
    expect(rulesOf({}, {}, { [fact]: count })).toEqual(rules);
  });

  it.each([
    [1, 0, []],
    [1, 1, ['email_velocity_high']],
    [3, 1, []],
    [3, 2, ['email_velocity']],
    [3, 3, ['email_velocity_high']],
    [200, 199, ['email_velocity']],
    [200, 200, ['email_velocity_high']],
    [null, 1_000_000, []],
  ])('with a limit of %j orders an hour, an order after %d others fires %j', (email, count, rules) => {
    const settings = { ordersPerHour: { email, phone: null, address: null } };

    expect(rulesOf({}, settings, { ordersByEmail: count })).toEqual(rules);
  });

  it.each([
    ['email', ['blocked_email', 'email_velocity', 'email_velocity_high', 'disposable_email']],
    ['phone', ['blocked_phone', 'phone_velocity', 'phone_velocity_high']],
    ['address', ['address_velocity', 'address_velocity_high']],
  ] as const)('has rules about the %s', (part, names) => {
    const own = { name: 'own', score: 10, fires: () => true };

    expect(rulesAbout([part], [...FRAUD_RULES, own]).map(({ name }) => name)).toEqual([...names, 'own']);
  });

  it('counts repeated e-mail, phone and address as one sign', () => {
    const often = { ordersByEmail: 29, ordersByPhone: 29, ordersByAddress: 59 };

    expect(assess({}, {}, often)).toEqual({
      verdict: 'ACCEPT',
      score: 30,
      reasons: [{ rule: 'email_velocity', score: 30 }],
    });
    expect(rulesOf({}, {}, { ...often, ordersByEmail: 0 })).toEqual(['phone_velocity']);
  });

  const WEAK: [string, Partial<FraudSignals>, Partial<FraudFacts>][] = [
    ['email_velocity', {}, { ordersByEmail: 15 }],
    ['phone_velocity', {}, { ordersByPhone: 15 }],
    ['address_velocity', {}, { ordersByAddress: 30 }],
    ['disposable_email', {}, { disposableEmail: true }],
  ];

  it.each(WEAK)('accepts an order with %s alone', (rule, signals, facts) => {
    expect(assess(signals, {}, facts)).toEqual({ verdict: 'ACCEPT', score: 30, reasons: [{ rule, score: 30 }] });
  });

  const isVelocity = ([rule]: (typeof WEAK)[0]) => rule.endsWith('_velocity');
  const PAIRS = WEAK.flatMap((one, index) =>
    WEAK.slice(index + 1)
      .filter((other) => !(isVelocity(one) && isVelocity(other)))
      .map((other) => [one[0], other[0], one, other]),
  );

  it.each(PAIRS as [string, string, (typeof WEAK)[0], (typeof WEAK)[0]][])(
    'sends an order with %s and %s to review',
    (_one, _other, one, other) => {
      const assessment = assess({ ...one[1], ...other[1] }, {}, { ...one[2], ...other[2] });

      expect([assessment.verdict, assessment.score]).toEqual(['REVIEW', 60]);
      expect(assessment.reasons.map(({ rule }) => rule)).toEqual([one[0], other[0]]);
    },
  );

  it('never rejects for weak signs, regardless of their number', () => {
    const all = { ordersByEmail: 60, ordersByPhone: 60, ordersByAddress: 60, disposableEmail: true };

    expect(assess({}, { reviewAmount: 1 }, all)).toMatchObject({
      verdict: 'REVIEW',
      score: 230,
    });
  });

  it('names every rule that fired and adds up their scores', () => {
    const settings = { blockedEmails: ['ada@example.test'], blockedPhones: ['555'], reviewAmount: 1 };

    expect(assess({ phone: '555' }, settings, { disposableEmail: true })).toEqual({
      verdict: 'REJECT',
      score: 280,
      reasons: [
        { rule: 'blocked_email', score: 100 },
        { rule: 'blocked_phone', score: 100 },
        { rule: 'amount_over_limit', score: 50 },
        { rule: 'disposable_email', score: 30 },
      ],
    });
  });
});

describe('the rules', () => {
  it('have unique names in snake case', () => {
    const names = FRAUD_RULES.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
  });

  it("reject only through the store's block lists", () => {
    const rejecting = FRAUD_RULES.filter(({ score }) => score >= REJECT_SCORE).map(({ name }) => name);

    expect(rejecting).toEqual(['blocked_email', 'blocked_phone']);
  });
});

describe('withOwnRules', () => {
  const rule = { name: 'forwarded_parcel', score: 30, fires: () => true };

  it('adds rules after those of the service', () => {
    expect(withOwnRules([rule])).toEqual([...FRAUD_RULES, rule]);
  });

  it.each([
    ['another rule has this name', [{ ...rule, name: 'blocked_email' }]],
    ['another rule has this name', [{ ...rule, name: 'analysis_unavailable' }]],
    ['another rule has this name', [rule, rule]],
    ['must be in snake case', [{ ...rule, name: 'Forwarded parcel' }]],
    ['must be a whole number from 1', [{ ...rule, score: 0 }]],
    ['must be a whole number from 1', [{ ...rule, score: 0.5 }]],
  ])('refuses a rule: %s', (fault, rules) => {
    expect(() => withOwnRules(rules)).toThrow(fault);
  });
});
