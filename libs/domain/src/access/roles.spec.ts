import { mayGive, names } from './api-key-scope.js';
import { ROLES, scopeOfRole } from './roles.js';

describe('the roles', () => {
  it('that manage people have every word of every role, so they give no more than they have', () => {
    const giving = ROLES.filter((role) => names(scopeOfRole(role), 'team'));

    expect(giving).toEqual(['owner']);
    for (const given of ROLES)
      expect([given, mayGive(scopeOfRole('owner'), scopeOfRole(given))]).toEqual([given, true]);
  });
});
