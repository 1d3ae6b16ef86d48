import { GroupedLookup } from './grouped-lookup.js';

function aLookup(concurrent = 1) {
  const calls: {
    keys: readonly string[];
    answer: (found: Record<string, string>) => void;
    fail: (e: Error) => void;
  }[] = [];
  const lookup = new GroupedLookup<string>(
    (keys) =>
      new Promise((resolve, reject) => {
        calls.push({ keys, answer: (found) => resolve(new Map(Object.entries(found))), fail: reject });
      }),
    1_000,
    concurrent,
  );
  return { lookup, calls };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('GroupedLookup', () => {
  it('makes one look-up for all keys that arrive while another is in flight', async () => {
    const { lookup, calls } = aLookup();
    const first = lookup.find('a');
    await settled();
    const others = Promise.all([lookup.find('b'), lookup.find('c'), lookup.find('b')]);
    await settled();
    expect(calls.map(({ keys }) => keys)).toEqual([['a']]);

    calls[0]?.answer({ a: 'A' });
    expect(await first).toBe('A');
    await settled();
    calls[1]?.answer({ b: 'B', c: 'C' });

    expect(await others).toEqual(['B', 'C', 'B']);
    expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c']]);
  });

  it('never answers from a look-up that started before the question', async () => {
    const { lookup, calls } = aLookup();
    const before = lookup.find('a');
    await settled();
    const after = lookup.find('a');

    calls[0]?.answer({ a: 'valid' });
    await settled();
    calls[1]?.answer({ a: 'revoked' });

    expect([await before, await after]).toEqual(['valid', 'revoked']);
  });

  it('starts as many concurrent look-ups as its limit allows, and returns null for unknown keys', async () => {
    const { lookup, calls } = aLookup(2);
    const answers: Promise<unknown>[] = [];
    for (const key of ['a', 'b', 'c']) {
      answers.push(lookup.find(key));
      await settled();
    }
    expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['b']]);

    calls[0]?.answer({});
    await settled();

    expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['b'], ['c']]);
    for (const { answer } of calls) answer({});
    expect(await Promise.all(answers)).toEqual([null, null, null]);
  });

  it('fails only the group whose look-up failed', async () => {
    const { lookup, calls } = aLookup();
    const first = lookup.find('a');
    await settled();
    const second = lookup.find('a');

    calls[0]?.fail(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await settled();
    calls[1]?.answer({ a: 'A' });

    expect(await second).toBe('A');
  });
});
