import { parseJson } from './line-batches.js';

describe('parseJson', () => {
  it('names the position where the JSON ends without repeating its text', () => {
    expect(() => parseJson('{"kind":"customer","email":"ada@example.com"')).toThrow(/^the line is not valid JSON/);
    expect(() => parseJson('{"email":"ada@example.com",}')).not.toThrow(/ada/);
  });
});
