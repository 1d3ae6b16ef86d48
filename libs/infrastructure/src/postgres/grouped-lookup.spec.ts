import { setTimeout } from 'node:timers/promises';
import { DeadlineExceeded } from '@app/application';
import { GroupedLookup, type Pace } from './grouped-lookup.js';

function aLookup(pace: Partial<Pace> = {}, timeoutMs = 1_000) {
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
    timeoutMs,
    () => ({ most: Infinity, concurrent: 1, ...pace }),
  );
  return { lookup, calls };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

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
    const { lookup, calls } = aLookup({ concurrent: 2 });
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

  it('makes several look-ups when one may have fewer keys, in the order of the questions', async () => {
    const { lookup, calls } = aLookup({ most: 2 });
    const answers = Promise.all(['a', 'b', 'c', 'a', 'd', 'e'].map((key) => lookup.find(key)));

    for (let n = 0; n < 3; n++) {
      await settled();
      calls[n]?.answer({ [calls[n]?.keys[0] ?? '']: 'first' });
    }

    expect(calls.map(({ keys }) => keys)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(await answers).toEqual(['first', null, 'first', 'first', null, 'first']);
  });

  it('answers each caller in its turn, and begins the next look-up after them', async () => {
    const done: string[] = [];
    const { lookup, calls } = aLookup({
      turn: async () => {
        await settled();
        done.push('turn');
      },
    });
    const first = ['a', 'a', 'b'].map((key) => lookup.find(key).then(() => done.push(key)));
    await settled();
    const next = lookup.find('c');
    calls[0]?.answer({ a: 'A', b: 'B' });
    await Promise.all(first);

    expect(done).toEqual(['turn', 'a', 'turn', 'a', 'turn', 'b']);
    await settled();
    expect(calls.map(({ keys }) => keys)).toEqual([['a', 'b'], ['c']]);
    calls[1]?.answer({});
    await next;
  });

  it('looks up no key whose callers have given up', async () => {
    const { lookup, calls } = aLookup({}, 200);
    const first = lookup.find('a').catch((error: unknown) => error);
    await settled();
    await expect(lookup.find('b')).rejects.toThrow(DeadlineExceeded);
    expect(await first).toBeInstanceOf(DeadlineExceeded);
    // A timer may fire up to a millisecond early.
    await setTimeout(5);

    const later = lookup.find('c');
    calls[0]?.answer({ a: 'A' });
    await settled();
    calls[1]?.answer({ c: 'C' });

    expect(await later).toBe('C');
    expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['c']]);
  });
});
