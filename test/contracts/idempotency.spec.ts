import { ADAPTERS, aScope, type PlacingPorts } from './placing.js';

const HASH = Buffer.from('a'.repeat(64), 'hex');

describe.each(ADAPTERS)('IdempotencyRecords and IdempotencyClaims %s', (_name, open) => {
  let ports: PlacingPorts;
  beforeAll(async () => (ports = await open()));
  afterAll(() => ports.close());

  it('know nothing of a key that was never used', async () => {
    expect(await ports.idempotency.find(aScope(ports.storeId))).toBeNull();
  });

  it('give back the bytes of a claim that was committed', async () => {
    const scope = aScope(ports.storeId);
    const response = Buffer.from('{"total":19.90,"name":"Łódź \\u0000"}');

    await ports.unitOfWork.run(async ({ idempotency }) => {
      expect(await idempotency.claim(scope, HASH)).toBeNull();
      await idempotency.store(scope, response);
    });

    expect(await ports.idempotency.find(scope)).toEqual({ requestHash: HASH, response });
    await ports.unitOfWork.run(async ({ idempotency }) => {
      expect(await idempotency.claim(scope, HASH)).toEqual({ requestHash: HASH, response });
    });
  });

  it('forget a claim whose transaction failed', async () => {
    const scope = aScope(ports.storeId);
    const run = ports.unitOfWork.run(async ({ idempotency }) => {
      await idempotency.claim(scope, HASH);
      throw new Error('out of stock');
    });
    await expect(run).rejects.toThrow('out of stock');

    expect(await ports.idempotency.find(scope)).toBeNull();
    await ports.unitOfWork.run(async ({ idempotency }) => {
      expect(await idempotency.claim(scope, HASH)).toBeNull();
    });
  });

  it('let one of two claims at the same moment through, and give the other its answer', async () => {
    const scope = aScope(ports.storeId);
    const claim = (name: string) =>
      ports.unitOfWork.run(async ({ idempotency }) => {
        const earlier = await idempotency.claim(scope, HASH);
        if (!earlier) await idempotency.store(scope, Buffer.from(name));
        return earlier?.response.toString() ?? name;
      });

    const [first, second] = await Promise.all([claim('first'), claim('second')]);

    expect(first).toBe(second);
  });
});
