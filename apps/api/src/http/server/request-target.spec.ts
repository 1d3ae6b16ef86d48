import { routableTarget } from './request-target.js';

describe('routableTarget', () => {
  it.each([
    ['/v1/orders', '/v1/orders'],
    ['/v1/orders?search=%zz', '/v1/orders?search=%zz'],
    ['/v1/products/caf%C3%A9', '/v1/products/caf%C3%A9'],
    ['/v1/products/%', '/v1/products/%25'],
    ['/v1/products/%zz', '/v1/products/%25zz'],
    ['/v1/products/%ff?page=2', '/v1/products/%25ff?page=2'],
    ['/v1/products/%41%C3%28', '/v1/products/%2541%25C3%2528'],
    ['/v1/products/%C3%A9-%E0%A4', '/v1/products/%C3%A9-%25E0%25A4'],
    ['/v1%2Forders', '/v1%2Forders'],
    ['http://shop.test/v1/orders?page=2', '/v1/orders?page=2'],
    ['HTTPS://user@shop.test:80', '/'],
    ['http://shop.test?page=2', '/?page=2'],
    ['http:///v1/orders', '/v1/orders'],
    ['*', '*'],
  ])('reads %s as %s', (target, expected) => {
    expect(routableTarget(target)).toBe(expected);
  });

  it('leaves the longest path of a route unchanged', () => {
    const path = `/v1/categories/${'%E4%B8%AD'.repeat(512)}`;

    expect(routableTarget(`${path}?page=2`)).toBe(`${path}?page=2`);
  });

  it.each(['a', '%61', '%E4%B8%AD', '%F0%9F%98%80', '%ff', '%'])(
    'cuts a longer path of %j to an id that no route accepts, and keeps the query',
    (piece) => {
      const target = `/v1/orders/${piece.repeat(15_000 / piece.length)}?search=${'%ff'.repeat(300)}`;

      const [path = '', query] = routableTarget(target).split('?');

      expect(path.length).toBeLessThan(16_000);
      expect(decodeURIComponent(path).slice(0, 11)).toBe('/v1/orders/');
      expect(decodeURIComponent(path).length - 11).toBeGreaterThan(512);
      expect(query).toBe(`search=${'%ff'.repeat(300)}`);
    },
  );

  it('drops a query of more than 500 parameters', () => {
    expect(routableTarget(`/v1/orders?${'a=1&'.repeat(499)}a=1`)).toHaveLength('/v1/orders?'.length + 499 * 4 + 3);
    expect(routableTarget(`/v1/orders?${'a=1&'.repeat(500)}a=1`)).toBe('/v1/orders');
  });

  it('gives the router at most 9,000 characters of a path of 15,000', () => {
    expect(routableTarget(`/${'%ff'.repeat(5_000)}`).length).toBeLessThan(9_000);
  });

  it.each(['%', '%ff', '%41%', '%ffx', '%c3%a9', '%c3x'])('reads the longest path of %j within 1 ms', (piece) => {
    const target = `/${piece.repeat(16_000 / piece.length)}`;
    const durations = Array.from({ length: 100 }, () => {
      const start = performance.now();
      routableTarget(target);
      return performance.now() - start;
    });

    // On a busy machine any single run may have been interrupted.
    expect(Math.min(...durations)).toBeLessThan(1);
  });

  it('leaves encoded bytes unchanged if and only if decodeURIComponent decodes them', () => {
    const encode = (bytes: readonly number[]) => bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const runs = Array.from({ length: 256 }, (_, first) =>
      [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0].flatMap((second) =>
        [[], [0x80], [0x80, 0xbf], [0x80, 0x41]].map((rest) => encode([first, second, ...rest])),
      ),
    ).flat();

    const misread = runs.filter((run) => (routableTarget(`/${run}`) === `/${run}`) !== isDecodable(run));

    expect(misread).toEqual([]);
  });

  it('returns a decodable path for every input', () => {
    for (const piece of ['%', '%%', '%2', '%c3', '%ED%A0%80', '%f0%9f%98%80%', '%00%ff', 'x%25%zz']) {
      expect(() => decodeURIComponent(routableTarget(`/v1/orders/${piece}`))).not.toThrow();
    }
  });
});

function isDecodable(run: string): boolean {
  try {
    decodeURIComponent(run);
    return true;
  } catch {
    return false;
  }
}
