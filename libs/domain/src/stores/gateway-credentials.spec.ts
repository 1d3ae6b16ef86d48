import { holdsCredentials } from './gateway-credentials.js';

describe('holdsCredentials', () => {
  it.each([
    null,
    undefined,
    {},
    { secret_key: '' },
    { secret_key: ' \t', webhook: null },
    { live: { key: '', ids: [] }, test: {} },
    [' '],
  ])('finds none in %j', (credentials) => {
    expect(holdsCredentials(credentials)).toBe(false);
  });

  it.each([{ secret_key: 'k' }, { live: {}, test: { key: 'k' } }, { ids: ['', 'k'] }, { account: 0 }, { live: false }])(
    'finds some in %j',
    (credentials) => {
      expect(holdsCredentials(credentials)).toBe(true);
    },
  );
});
