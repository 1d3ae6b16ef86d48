import { MetricsText } from './metrics-text.js';

describe('MetricsText', () => {
  let now = 0;
  let made = 0;
  let failure: Error | null = null;
  const registry = {
    contentType: 'text/plain' as const,
    metrics: () => (failure ? Promise.reject(failure) : Promise.resolve(`text ${++made}`)),
  };
  let text: MetricsText;
  beforeEach(() => {
    [now, made, failure] = [0, 0, null];
    text = new MetricsText(registry as never, () => now);
  });

  const read = async () => String(await text.read());

  it('is rendered once for all readers of a second, in turn and at once', async () => {
    expect([await read(), await read()]).toEqual(['text 1', 'text 1']);
    now = 999;
    expect(await Promise.all([read(), read()])).toEqual(['text 1', 'text 1']);
  });

  it('is rendered again after a second', async () => {
    await read();
    now = 1_000;

    expect(await Promise.all([read(), read()])).toEqual(['text 2', 'text 2']);
  });

  it('is rendered again after a failure', async () => {
    failure = new Error('no figures');
    await expect(read()).rejects.toThrow('no figures');
    failure = null;

    expect(await read()).toBe('text 1');
  });
});
