import type { BundleLine } from '../schema/bundle.js';
import { segmentsOf } from './segments.js';

const store = 'acme';
const brand = (slug: string): BundleLine => ({ kind: 'brand', store, slug, name: slug });

function sizes(...lines: BundleLine[]): number[] {
  const numbered = lines.map((line, index) => ({ number: index + 1, line }));
  return segmentsOf(numbered, (email) => email.toLowerCase()).map(({ length }) => length);
}

describe('segmentsOf', () => {
  it('keeps different rows together', () => {
    expect(sizes(brand('a'), brand('b'), { kind: 'category', store, slug: 'a', name: 'A' })).toEqual([3]);
  });

  it('starts a new segment before a row that repeats', () => {
    expect(sizes(brand('a'), brand('b'), brand('a'), brand('b'))).toEqual([2, 2]);
  });

  it('identifies a customer by id and by e-mail in any letter case', () => {
    const id = '6f1c0d52-7a7e-4f0e-9a53-3c9a4b0f5d11';

    expect(
      sizes(
        { kind: 'customer', store, name: 'Ada', email: 'ada@example.com', id },
        { kind: 'customer', store, name: 'Ada', email: 'ADA@example.com' },
        { kind: 'customer', store, name: 'Ada', id },
      ),
    ).toEqual([1, 2]);
  });

  it('keeps the rows of different stores together', () => {
    expect(sizes(brand('a'), { kind: 'brand', store: 'globex', slug: 'a', name: 'A' })).toEqual([2]);
  });
});
