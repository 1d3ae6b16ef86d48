import { SeededRandom, WeightedChoice } from './seeded-random.js';

describe('SeededRandom', () => {
  it('is mulberry32: seed 0 starts with the published value', () => {
    expect(new SeededRandom(0).fraction()).toBe(0.26642920868471265);
  });

  it('makes UUIDs in the shape of version 4', () => {
    const random = new SeededRandom(1);
    const uuids = Array.from({ length: 200 }, () => random.uuid());

    expect(uuids.filter((id) => !/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id))).toEqual(
      [],
    );
  });
});

describe('WeightedChoice', () => {
  it('draws in proportion to the weights, and never draws an item of weight zero', () => {
    const random = new SeededRandom(2);
    const choice = new WeightedChoice(
      ['never', 'often', 'seldom'],
      (item) => ({ never: 0, often: 3, seldom: 1 })[item] ?? 0,
    );

    const drawn = Array.from({ length: 4000 }, () => choice.draw(random));

    expect(drawn).not.toContain('never');
    expect(drawn.filter((item) => item === 'often').length / drawn.length).toBeCloseTo(0.75, 1);
  });
});
