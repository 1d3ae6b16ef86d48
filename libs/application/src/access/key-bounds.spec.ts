import type { ApiKeyLookup, SignedInPerson } from '../ports/api-key.repository.js';
import { excessOf, type KeyRights } from './key-bounds.js';

const END = new Date('2027-01-31T00:00:00Z');
const AFTER = new Date('2027-01-31T00:00:00.001Z');

const aKey = (more: Partial<KeyRights> = {}): KeyRights => ({
  ...{ mode: 'live', scope: 'read', networks: [], trusted: false, expiresAt: null },
  ...more,
});

const aMachine = (more: Partial<ApiKeyLookup> = {}): ApiKeyLookup => ({
  ...{ id: 'k', name: 'ERP', mode: 'live', scope: 'read,orders,keys', networks: [], status: 'ACTIVE', expiresAt: null },
  ...{ address: '192.0.2.1', expired: false, person: null, store: { id: 1, currency: 'USD', status: 'ACTIVE' } },
  ...more,
});

/** The session ends in 12 hours. */
const aSession = (scope: ApiKeyLookup['scope']): ApiKeyLookup => {
  const person: SignedInPerson = { id: 'p', name: 'Ada', email: 'ada@example.com', role: 'owner', isFresh: true };
  return aMachine({ scope, person, expiresAt: END });
};

const OWNER = aSession('read,orders,fulfillment,payments,stock,webhooks,catalog,customers,sales,keys,team');

describe('the bounds of a key', () => {
  it.each<[string, KeyRights, ApiKeyLookup]>([
    ['fewer words', aKey(), aMachine()],
    ['the same words', aKey({ scope: 'read,orders' }), aMachine()],
    ['keys, by a person', aKey({ scope: 'read,webhooks,keys' }), aSession('read,webhooks,keys')],
    ['full, by who manages the team', aKey({ scope: 'full' }), OWNER],
    ['the other mode, by a person', aKey({ mode: 'test' }), OWNER],
    ['no end, by a person', aKey(), OWNER],
    ['trust, by a person', aKey({ trusted: true }), OWNER],
    ['any networks, by a key without', aKey({ networks: ['192.0.2.0/24'] }), aMachine()],
    [
      'networks within those of the maker',
      aKey({ networks: ['10.1.0.0/16', '10.0.0.0/8', '2001:db8::1/128'] }),
      aMachine({ networks: ['2001:db8::/32', '10.0.0.0/8'] }),
    ],
    ['the same end', aKey({ expiresAt: END }), aMachine({ expiresAt: END })],
  ])('permit %s', (_what, given, maker) => {
    expect(excessOf(given, maker)).toBeNull();
  });

  const scope = (excess: string) => `scope must not contain ${excess}: the allowed scopes are read, orders`;
  it.each<[string, KeyRights, ApiKeyLookup, string]>([
    ['another word', aKey({ scope: 'read,stock' }), aMachine(), scope('stock')],
    ['full, by a key', aKey({ scope: 'full' }), aMachine(), scope('full')],
    [
      'full, by who manages no team',
      aKey({ scope: 'full' }),
      aSession('read,webhooks,keys'),
      'scope must not contain full: the allowed scopes are read, webhooks, keys',
    ],
    ['keys, by a key', aKey({ scope: 'read,keys' }), aMachine(), scope('keys')],
    [
      'team, by its owner',
      aKey({ scope: 'read,team' }),
      OWNER,
      expect.stringMatching(/^scope must not contain team: the allowed scopes are full, read, .*, keys$/) as string,
    ],
    ['the other mode', aKey({ mode: 'test' }), aMachine(), 'mode must be live'],
    ['the live mode, by a test key', aKey(), aMachine({ mode: 'test' }), 'mode must be test'],
    ['any network', aKey(), aMachine({ networks: ['10.0.0.0/8'] }), 'networks must be within 10.0.0.0/8'],
    [
      'one network outside',
      aKey({ networks: ['10.1.0.0/16', '11.0.0.0/16'] }),
      aMachine({ networks: ['10.0.0.0/8'] }),
      'networks must be within 10.0.0.0/8, not 11.0.0.0/16',
    ],
    [
      'a network that contains that of the maker',
      aKey({ networks: ['10.0.0.0/7'] }),
      aMachine({ networks: ['10.0.0.0/8'] }),
      'networks must be within 10.0.0.0/8, not 10.0.0.0/7',
    ],
    [
      'a network of the other family',
      aKey({ networks: ['::/0'] }),
      aMachine({ networks: ['0.0.0.0/0'] }),
      'networks must be within 0.0.0.0/0, not ::/0',
    ],
    ['no end', aKey(), aMachine({ expiresAt: END }), 'the end must be 2027-01-31T00:00:00.000Z or earlier'],
    [
      'a later end',
      aKey({ expiresAt: AFTER }),
      aMachine({ expiresAt: END }),
      'the end must be 2027-01-31T00:00:00.000Z or earlier',
    ],
    ['trust', aKey({ trusted: true }), aMachine(), 'only a person can roll or activate a trusted key'],
  ])('refuse %s', (_what, given, maker, excess) => {
    expect(excessOf(given, maker)).toEqual(excess);
  });
});
