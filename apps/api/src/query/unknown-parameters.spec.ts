import type { FastifyReply, FastifyRequest } from 'fastify';
import { reportUnknownParameters } from './unknown-parameters.js';

describe('reportUnknownParameters', () => {
  const header = jest.fn();
  const reply = { header } as unknown as FastifyReply;
  const report = (names: string[], prefer?: string) =>
    reportUnknownParameters(names, { headers: { prefer } } as unknown as FastifyRequest, reply);

  it('sets no header when every name is known', () => {
    report([], 'handling=strict');

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
