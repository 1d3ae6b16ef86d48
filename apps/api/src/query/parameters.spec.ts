import type { ExecutionContext } from '@nestjs/common';
import {
  booleanFilter,
  choice,
  dateFilter,
  exactFilter,
  flagFilter,
  idFilter,
  integerFilter,
  LIMIT,
  PAGE,
  searchFilter,
  timeFilter,
  wordsFilter,
  type Parameter,
} from './parameters.js';
import { listQuery, ReadQuery } from './query.js';
import { QueryGuard } from './query.guard.js';

const reading =
  <T>({ read }: Parameter<T>) =>
  (sent: string | readonly string[] | undefined): T =>
    read([sent ?? []].flat());

describe('A query parameter', () => {
  const search = reading(searchFilter('the name', 'x'));

  it.each<[string | string[] | undefined, number]>([
    [undefined, 50],
    ['', 50],
    [' ', 50],
    ['abc', 50],
    ['1e2', 50],
    ['0x10', 50],
    ['Infinity', 50],
    ['NaN', 50],
    ['٣', 50],
    ['7,5', 50],
    ['7', 7],
    [' 7 ', 7],
    ['+7', 7],
    ['007', 7],
    ['7.5', 7],
    ['7.', 7],
    ['0.9', 1],
    ['0', 1],
    ['-0', 1],
    ['-3', 1],
    ['100', 100],
    ['100.9', 100],
    ['101', 100],
    ['9'.repeat(400), 100],
    [`-${'9'.repeat(400)}`, 1],
    [['5', '9'], 9],
    [['9', 'abc'], 50],
    [['9', ''], 50],
  ])('reads the limit %j as %d', (limit, expected) => {
    expect(reading(LIMIT)(limit)).toBe(expected);
  });

  it.each<[string | string[] | undefined, number]>([
    [undefined, 1],
    ['', 1],
    ['abc', 1],
    ['3', 3],
    ['2.9', 2],
    ['0', 1],
    ['-5', 1],
    [['2', '4'], 4],
    ['99999999999999999999', 21_474_836],
  ])('reads the page %j as %d', (page, expected) => {
    expect(reading(PAGE)(page)).toBe(expected);
  });

  it.each<[string | string[] | undefined, number | undefined]>([
    [undefined, undefined],
    [' +7 ', 7],
    ['-2', -2],
    [['x', '10'], 10],
  ])('reads the number %j as %j', (sent, expected) => {
    expect(reading(integerFilter('n', 'x', { min: -2, max: 10 }))(sent)).toBe(expected);
  });

  it.each(['', '-3', '11', '7.5', '1e1', '9'.repeat(400)])('refuses the number %j', (sent) => {
    expect(() => reading(integerFilter('n', 'x', { min: -2, max: 10 }))(sent)).toThrow(
      'n must be an integer from -2 to 10',
    );
  });

  it.each<[string | string[] | undefined, string | undefined]>([
    [undefined, undefined],
    ['', ''],
    ['  ', ''],
    [' Pending ', 'Pending'],
    [['a', 'b'], 'b'],
    [['a', ''], ''],
    ['a\0', 'a\0'],
  ])('reads the text %j as %j', (status, expected) => {
    expect(reading(exactFilter('status', 'status', 'x'))(status)).toBe(expected);
  });

  it.each<[string, string | string[]]>([
    ['201 blank values separated by commas', ','.repeat(200)],
    ['15,000 blank values', ','.repeat(15_000)],
    ['201 repeated blank values', Array.from({ length: 201 }, () => '')],
    ['a value and 200 blank ones', ['a', ','.repeat(199)]],
  ])('refuses %s by the name of the parameter', (_name, sku) => {
    expect(() => reading(wordsFilter('sku', 'SKUs', 'x'))(sku)).toThrow('sku must have at most 100 values');
  });

  it('accepts 100 values with a blank one after each', () => {
    expect(reading(wordsFilter('sku', 'SKUs', 'x'))('a,,'.repeat(99) + 'a,')).toHaveLength(100);
  });

  it('searches for the first 200 characters', () => {
    expect(search(` ${'a'.repeat(201)} `)).toBe('a'.repeat(200));
  });

  it('counts characters in code points, and cuts none in half', () => {
    expect(search(`a${'😀'.repeat(250)}`)).toBe(`a${'😀'.repeat(199)}`);
    expect(search('😀'.repeat(200))).toBe('😀'.repeat(200));
  });

  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ['', 0],
    ['12', 12],
    ['2147483647', 2147483647],
    ['2147483648', 0],
    ['99999999999999999999', 0],
    ['0', 0],
    ['-1', 0],
    ['1.5', 0],
    ['abc', 0],
    ['null', 0],
    ['1\0', 0],
  ])('reads the id %j as %j', (category_id, expected) => {
    expect(reading(idFilter('category_id', 'x'))(category_id)).toBe(expected);
  });

  it.each<[string | string[] | undefined, true | undefined]>([
    ['true', true],
    ['TRUE', true],
    ['1', true],
    [['false', 'true'], true],
    [['true', 'false'], undefined],
    ['false', undefined],
    ['0', undefined],
    ['yes', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads the flag %j as %j', (featured, expected) => {
    expect(reading(flagFilter('featured', 'x'))(featured)).toBe(expected);
  });

  it.each<[string | string[] | undefined, boolean | undefined]>([
    [undefined, undefined],
    ['true', true],
    [' TRUE ', true],
    ['False', false],
    ['1', true],
    ['0', false],
    [['no', 'false'], false],
  ])('reads the boolean %j as %j', (held, expected) => {
    expect(reading(booleanFilter('held', 'x', 'y'))(held)).toBe(expected);
  });

  const NEITHER = ['', ' ', '2', '01', 'on', 'yes', 'truefalse', 'null', '\0', ['true', 'x']];

  it.each(NEITHER.map((held) => [held]))('refuses %j as a boolean', (held) => {
    expect(() => reading(booleanFilter('held', 'x', 'y'))(held)).toThrow('held must be true or false');
  });

  it.each<[string | string[] | undefined, string | undefined]>([
    [undefined, undefined],
    ['2026-03-29T00:00:00+01:00', '2026-03-28T23:00:00.000Z'],
    ['2026-03-29T00:00:00 01:00', '2026-03-28T23:00:00.000Z'],
    [' 2026-03-28T23:00:00Z ', '2026-03-28T23:00:00.000Z'],
    ['2026-03-28T23:00Z', '2026-03-28T23:00:00.000Z'],
    ['2026-03-28T24:00:00+01:00', '2026-03-28T23:00:00.000Z'],
    ['2024-02-29T23:59:59-14:00', '2024-03-01T13:59:59.000Z'],
    ['2026-03-28T23:00:00.5Z', '2026-03-28T23:00:00.500Z'],
    ['2026-03-28T23:00:00.123000000Z', '2026-03-28T23:00:00.123Z'],
    ['2026-03-28T23:00:00.123000001Z', '2026-03-28T23:00:00.124Z'],
    ['2026-12-31T23:59:59.9999Z', '2027-01-01T00:00:00.000Z'],
    [['x', '2026-03-28T23:00:00Z'], '2026-03-28T23:00:00.000Z'],
  ])('reads the time %j as %s', (from, expected) => {
    expect(reading(timeFilter('from', 'x'))(from)?.toISOString()).toBe(expected);
  });

  it.each([
    '',
    ' ',
    '2026-03-29',
    '2026-03-29T00:00:00',
    '2026-03-29 00:00:00Z',
    '2026-03-29t00:00:00z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-03-29T23:60:00Z',
    '2026-03-29T23:59:60Z',
    '2026-03-29T00:00:00.Z',
    '2026-03-29T24:00:01Z',
    '2026-03-29T00:00:00+24:00',
    '9999-12-31T23:59:59.9999Z',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-12:00',
    '2026-03-29T00:00:00+0100',
    '2026-03-29T00:00:00+01:60',
    '+002026-03-29T00:00:00Z',
    '1774738800',
    'now',
    '2026-03-29T00:00:00Z\0',
  ])('refuses %j as a time, and shows the form', (from) => {
    expect(() => reading(timeFilter('from', 'x'))(from)).toThrow(
      'from must be a time with a zone, such as 2026-03-29T00:00:00+01:00 or 2026-03-28T23:00:00Z',
    );
  });
});

describe('A date', () => {
  const date = reading(dateFilter('from', 'x'));

  it.each(['0001-01-01', ' 2024-02-29 ', '9999-12-31'])('is read from %j', (sent) => {
    expect(date(sent)).toBe(sent.trim());
  });

  it.each([
    '',
    '2026-02-29',
    '2026-13-01',
    '2026-1-1',
    '20260101',
    '0000-01-01',
    '10000-01-01',
    '2026-01-01T00:00:00Z',
  ])('is not read from %j', (sent) => {
    expect(() => date(sent)).toThrow('from must be a date such as 2026-03-29');
  });
});

describe('A choice', () => {
  const by = reading(choice('by', 'x', ['day', 'month']));

  it.each([
    [undefined, 'day'],
    [' MONTH', 'month'],
    [['x', 'day'], 'day'],
  ])('reads %j as %s', (sent, word) => {
    expect(by(sent)).toBe(word);
  });

  it.each(['', 'year', 'day\0'])('refuses %j', (sent) => {
    expect(() => by(sent)).toThrow('by must be one of day, month');
  });
});

const QUERY = listQuery({ search: searchFilter('the name', 'x') });

class TeamController {
  list(this: void, @ReadQuery(QUERY) query: unknown): unknown {
    return query;
  }

  bare(this: void): void {}
}

describe('QueryGuard', () => {
  const header = vi.fn();
  beforeEach(() => header.mockClear());

  const check = (query: object, route: keyof TeamController, prefer?: string, apiKey: object | null = {}) => {
    const request = { apiKey, headers: { prefer }, originalUrl: '/v1/team', query };
    const http = { getRequest: () => request, getResponse: () => ({ header }) };
    const context = { switchToHttp: () => http, getHandler: () => TeamController.prototype[route] };
    return new QueryGuard().canActivate(context as unknown as ExecutionContext);
  };
  const report = (names: string[], prefer?: string) =>
    check(Object.fromEntries(names.map((name) => [name, '1'])), 'bare', prefer);

  it('sets no header when the route declares every name', () => {
    check({ search: 'x', limit: '1', page: '1', '': 'x' }, 'list', 'handling=strict');

    expect(header).not.toHaveBeenCalled();
  });

  it('compares names exactly', () => {
    check({ search: 'x', Search: 'x', 'limit[]': '2' }, 'list');

    expect(header).toHaveBeenCalledWith('x-ignored-parameters', 'Search, limit%5B%5D');
  });

  it('leaves routes without a key alone', () => {
    check({ colour: '1' }, 'bare', 'handling=strict', null);

    expect(header).not.toHaveBeenCalled();
  });

  it.each([
    [['colour', 'size'], 'colour, size'],
    [['limit[]'], 'limit%5B%5D'],
    [['a,b', 'x y'], 'a%2Cb, x%20y'],
    [['a\r\nset-cookie: x=1'], 'a%0D%0Aset-cookie%3A%20x%3D1'],
    [['größe', '😀'], 'gr%C3%B6%C3%9Fe, %F0%9F%98%80'],
    [['\0', '\ud800'], '%00, %EF%BF%BD'],
    [['a'.repeat(100)], 'a'.repeat(64)],
  ])('names %j in the header', (names, expected) => {
    report(names);

    expect(header).toHaveBeenCalledWith('x-ignored-parameters', expected);
  });

  it('names at most 20 parameters', () => {
    report(Array.from({ length: 30 }, (_, i) => `p${i}`));

    expect((header.mock.calls as [string, string][])[0]?.[1].split(', ')).toHaveLength(20);
  });

  it.each([
    'handling=strict',
    'Handling=Strict',
    'handling="strict"',
    'wait=5, handling=strict; x',
    'handling = strict',
  ])('refuses under Prefer: %s', (prefer) => {
    expect(() => report(['colour', 'size'], prefer)).toThrow('Unknown query parameter: colour, size');
  });

  it.each(['handling=lenient', 'handling=stricter', 'xhandling=strict', 'return=minimal', ''])(
    'ignores under Prefer: %s',
    (prefer) => {
      expect(() => report(['colour'], prefer)).not.toThrow();
    },
  );
});
