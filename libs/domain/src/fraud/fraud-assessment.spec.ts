import { ANALYSIS_UNAVAILABLE, assessFraud, type FraudSettings, type FraudSignals } from './fraud-assessment.js';

const NO_RULES: FraudSettings = { blockedEmails: [], blockedPhones: [], reviewAmount: null };

function assess(signals: Partial<FraudSignals>, settings: Partial<FraudSettings> = {}) {
  return assessFraud({ email: 'ada@example.test', phone: '', total: 1000, ...signals }, { ...NO_RULES, ...settings });
}

describe('assessFraud', () => {
  it('accepts an order that no rule is about', () => {
    expect(assess({})).toEqual({ verdict: 'ACCEPT', score: 0, reasons: [] });
  });

  it.each([
    ['eve@example.test', 'eve@example.test'],
    ['EVE@Example.TEST', 'eve@example.test'],
    ['eve@example.test', ' Eve@example.test '],
  ])('rejects %j when %j is blocked', (email, blocked) => {
    expect(assess({ email }, { blockedEmails: ['x@y.test', blocked] })).toEqual({
      verdict: 'REJECT',
      score: 100,
      reasons: [{ rule: 'blocked_email', score: 100 }],
    });
  });

  it.each([
    ['+1 (555) 010-0', '15550100'],
    ['15550100', '+1-555-0100'],
  ])('rejects the phone %j when %j is blocked', (phone, blocked) => {
    expect(assess({ phone }, { blockedPhones: [blocked] })).toMatchObject({
      verdict: 'REJECT',
      reasons: [{ rule: 'blocked_phone', score: 100 }],
    });
  });

  it.each([
    ['an order without e-mail', { email: '' }, { blockedEmails: ['', ' '] }],
    ['an order without phone', { phone: '' }, { blockedPhones: ['', '-'] }],
    ['a phone without digits', { phone: 'none' }, { blockedPhones: ['n/a'] }],
    [
      'an address that only contains a blocked one',
      { email: 'steve@example.test' },
      { blockedEmails: ['eve@example.test'] },
    ],
    ['a phone that only contains a blocked one', { phone: '155501001' }, { blockedPhones: ['15550100'] }],
  ])('does not take %s for a blocked one', (_case, signals, settings) => {
    expect(assess(signals, settings).verdict).toBe('ACCEPT');
  });

  it.each([
    [4999, 5000, 'ACCEPT'],
    [5000, 5000, 'REVIEW'],
    [5001, 5000, 'REVIEW'],
    [0, 0, 'REVIEW'],
    [Number.MAX_SAFE_INTEGER, null, 'ACCEPT'],
  ])('judges a total of %d with a review amount of %p: %s', (total, reviewAmount, verdict) => {
    expect(assess({ total }, { reviewAmount }).verdict).toBe(verdict);
  });

  it('names every rule that fired and adds up their scores', () => {
    const settings = { blockedEmails: ['ada@example.test'], blockedPhones: ['555'], reviewAmount: 1 };

    expect(assess({ phone: '555' }, settings)).toEqual({
      verdict: 'REJECT',
      score: 250,
      reasons: [
        { rule: 'blocked_email', score: 100 },
        { rule: 'blocked_phone', score: 100 },
        { rule: 'amount_over_limit', score: 50 },
      ],
    });
  });

  it('has a person look when the analysis is unavailable', () => {
    expect(ANALYSIS_UNAVAILABLE.verdict).toBe('REVIEW');
    expect(ANALYSIS_UNAVAILABLE.reasons).toEqual([{ rule: 'analysis_unavailable', score: ANALYSIS_UNAVAILABLE.score }]);
  });
});
