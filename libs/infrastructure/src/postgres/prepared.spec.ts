import { MAX_PREPARED, prepared } from './prepared.js';

describe('a prepared statement', () => {
  it('has a name while the process has sent few others, and keeps it', () => {
    const names = Array.from({ length: MAX_PREPARED + 1 }, (_, n) => prepared(`/* lists.read */ SELECT ${n}`, []).name);

    expect(new Set(names.slice(0, -1)).size).toBe(MAX_PREPARED);
    expect(names.at(-1)).toBeUndefined();
    expect(prepared('/* lists.read */ SELECT 0', []).name).toBe(names[0]);
  });
});
