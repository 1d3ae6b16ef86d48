import { createHash } from 'node:crypto';
import type { NewApiKey } from '@app/application';
import { API_KEY_SECRET, composeApiKey, type ApiKeyMode } from '@app/domain';
import { InMemoryApiKeyRepository } from '../../support/in-memory/in-memory-api-key.repository.js';
import { AuthenticateApiKey } from '../../../libs/application/src/access/authenticate-api-key.js';

const HERE = '192.0.2.7';

async function aStore({ mode = 'live', ...more }: { mode?: ApiKeyMode } & Partial<NewApiKey> = {}) {
  const apiKeys = new InMemoryApiKeyRepository();
  const { text, prefix, lastFour } = composeApiKey(mode, Array<number>(API_KEY_SECRET.length).fill(7));
  const hash = createHash('sha256').update(text).digest();
  const key = {
    id: 'key-1',
    hash,
    prefix,
    lastFour,
    mode,
    scope: 'full',
    networks: [],
    trusted: false,
    name: '',
    expiresAt: null,
  } as const;
  await apiKeys.insert(1, { ...key, ...more });
  return { apiKeys, text, authenticate: new AuthenticateApiKey(apiKeys) };
}

describe('AuthenticateApiKey', () => {
  it('finds the key and records its use', async () => {
    const { authenticate, apiKeys, text } = await aStore();

    expect(await authenticate.execute(text, HERE)).toMatchObject({ failure: null, key: { id: 'key-1' } });
    expect(apiKeys.touched).toEqual(['key-1']);
  });

  it.each([
    ['no key', () => undefined],
    ['an empty key', () => ''],
    ['a wrong checksum', (key: string) => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
    ['another brand', (key: string) => key.replace('svc', 'abc')],
  ])('rejects %s without a look-up', async (_case, given) => {
    const { authenticate, apiKeys, text } = await aStore();
    const findByHash = jest.spyOn(apiKeys, 'findByHash');

    expect(await authenticate.execute(given(text), HERE)).toEqual({ key: null, failure: 'missing', refused: null });
    expect(findByHash).not.toHaveBeenCalled();
  });

  it('rejects an unknown key', async () => {
    const { authenticate } = await aStore();
    const { text } = composeApiKey('live', Array<number>(API_KEY_SECRET.length).fill(8));

    expect(await authenticate.execute(text, HERE)).toEqual({ key: null, failure: 'unknown', refused: null });
  });

  it.each(['REVOKED', 'DEACTIVATED'] as const)('rejects a key that is %s', async (status) => {
    const { authenticate, apiKeys, text } = await aStore();
    await apiKeys.setStatus('key-1', status);

    expect(await authenticate.execute(text, HERE)).toMatchObject({
      key: null,
      failure: 'inactive',
      refused: { id: 'key-1' },
    });
    expect(apiKeys.touched).toEqual([]);
  });

  it('rejects an expired key', async () => {
    const { authenticate, text } = await aStore({ expiresAt: new Date(Date.now() - 1) });

    expect(await authenticate.execute(text, HERE)).toMatchObject({
      key: null,
      failure: 'inactive',
      refused: { id: 'key-1' },
    });
  });

  it('rejects a key that is used outside of its networks, and does not record it', async () => {
    const { authenticate, apiKeys, text } = await aStore({ networks: ['192.0.2.0/24'] });

    expect(await authenticate.execute(text, '198.51.100.1')).toMatchObject({
      key: null,
      failure: 'address_not_allowed',
      refused: { id: 'key-1' },
    });
    expect(apiKeys.touched).toEqual([]);
    expect(await authenticate.execute(text, HERE)).toMatchObject({ failure: null });
  });

  it('rejects the keys of an inactive store', async () => {
    const { authenticate, apiKeys, text } = await aStore();
    apiKeys.inactiveStores.add(1);

    expect(await authenticate.execute(text, HERE)).toMatchObject({
      key: null,
      failure: 'store_inactive',
      refused: { id: 'key-1' },
    });
  });
});
