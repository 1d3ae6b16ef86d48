import type { ExecutionContext } from '@nestjs/common';
import { searchFilter } from './parameters.js';
import { listQuery } from './query.js';
import { QueryGuard } from './query.guard.js';
import { ReadQuery } from './query.js';

const QUERY = listQuery({ search: searchFilter('the name', 'x') });

class TeamController {
  list(this: void, @ReadQuery(QUERY) query: unknown): unknown {
    return query;
  }

  bare(this: void): void {}
}

describe('QueryGuard', () => {
  const header = jest.fn();
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
