import { weightsOf } from './headers.js';

describe('the weights of a header', () => {
  it.each<[string, [string, number][]]>([
    [
      'text/html, application/json;q=0.9',
      [
        ['text/html', 1],
        ['application/json', 0.9],
      ],
    ],
    [
      'BR ; Q=0.5,*;q=0',
      [
        ['br', 0.5],
        ['*', 0],
      ],
    ],
    ['text/html;level=1;q=0.4', [['text/html', 0.4]]],
  ])('of %j are %j', (header, expected) => {
    expect([...weightsOf(header)]).toEqual(expected);
  });

  // A quadratic reader would take longer than a test may.
  it('are read in linear time from a header with a million spaces', () => {
    expect(weightsOf(`a${' '.repeat(1_000_000)}b`).size).toBe(1);
  });
});
