import { excessOf } from './json-shape.js';

const LIMITS = { levels: 8, values: 100 };
const excess = (json: string, limits = LIMITS) => excessOf(Buffer.from(json), limits);
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('excessOf', () => {
  it.each([
    [8, null],
    [9, 'levels'],
    [100_000, 'levels'],
  ])('of %i arrays in one another, with 8 allowed, is %s', (levels, expected) => {
    expect(excess(nested(levels))).toBe(expected);
  });

  it('counts the nesting of objects and arrays, and ignores plain values', () => {
    const order = '{"items": [{"product_id": 1}]}';
    expect(excess(order, { levels: 3, values: 100 })).toBeNull();
    expect(excess(order, { levels: 2, values: 100 })).toBe('levels');
    expect(excess('"text"', { levels: 0, values: 0 })).toBeNull();
  });

  it('counts nesting depth, not objects: a closed object frees its level', () => {
    expect(excess(`[${'[[]],'.repeat(20)}[]]`, { levels: 3, values: 100 })).toBeNull();
  });

  it.each([
    ['numbers', `[${'1,'.repeat(99)}1]`, `[${'1,'.repeat(100)}1]`],
    ['members', `{${'"a":1,'.repeat(99)}"a":1}`, `{${'"a":1,'.repeat(100)}"a":1}`],
    ['objects, each as two', `[1,${'{},'.repeat(49)}1]`, `[1,${'{},'.repeat(50)}1]`],
  ])('allows 100 values and no more: %s', (_name, most, tooMany) => {
    expect([excess(most), excess(tooMany)]).toEqual([null, 'values']);
  });

  it.each([
    ['brackets', `"${'['.repeat(200)}"`],
    ['commas', `"${','.repeat(200)}"`],
    ['an escaped quote before brackets', `"\\"${'['.repeat(200)}"`],
    ['an escaped backslash at its end', `["\\\\",${'"\\\\[",'.repeat(50)}1]`],
  ])('does not count what is in a string: %s', (_name, json) => {
    expect(excess(json)).toBeNull();
  });

  it('counts values after a string that ends in an escaped backslash', () => {
    expect(excess(`["\\\\",${'['.repeat(9)}`)).toBe('levels');
  });

  it.each(['', '"', '"\\', '{"a', ']]]', '{"items": ['])('leaves %j, which is no JSON, to the parser', (json) => {
    expect(excess(json)).toBeNull();
  });
});
