import { parseApiKeyScope, permits, WRITE_SCOPES } from './api-key-scope.js';

describe('parseApiKeyScope', () => {
  it.each([
    ['full', 'full'],
    ['read', 'read'],
    ['fulfillment', 'read,fulfillment'],
    ['payments, orders,read,orders', 'read,orders,payments'],
    ['webhooks,stock,payments,fulfillment,orders', 'read,orders,fulfillment,payments,stock,webhooks'],
  ])('reads %s as %s', (text, scope) => {
    expect(parseApiKeyScope(text)).toBe(scope);
  });

  it.each(['', ',', 'read,', 'write', 'full,write', 'stock,full', 'full,read', 'Full', 'read orders'])(
    'knows no scope %j',
    (text) => {
      expect(parseApiKeyScope(text)).toBeNull();
    },
  );
});

describe('permits', () => {
  it.each(WRITE_SCOPES)('is true of %s for full and for the word, and false for read and the other words', (needed) => {
    const others = ['read', ...WRITE_SCOPES.filter((word) => word !== needed)].join(',');

    expect(permits('full', needed)).toBe(true);
    expect(permits(`read,${needed}`, needed)).toBe(true);
    expect(permits('read', needed)).toBe(false);
    expect(permits(others as 'read', needed)).toBe(false);
  });
});
