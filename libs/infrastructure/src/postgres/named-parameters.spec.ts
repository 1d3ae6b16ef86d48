import { withNames } from './named-parameters.js';

describe('withNames', () => {
  it('numbers each name once, in order, and leaves casts alone', () => {
    const statement = withNames<'store' | 'id'>('SELECT :store, :id::uuid, :store');

    expect(statement({ id: 'b', store: 1 })).toEqual({ text: 'SELECT $1, $2::uuid, $1', values: [1, 'b'] });
  });
});
