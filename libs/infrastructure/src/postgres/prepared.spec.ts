describe('a prepared statement', () => {
  it('has a name while the process has sent few others, and keeps it', async () => {
    // Other files of this process have sent statements, too.
    vi.resetModules();
    const { MAX_PREPARED, prepared } = await import('./prepared.js');
    const names = Array.from({ length: MAX_PREPARED + 1 }, (_, n) => prepared(`/* lists.read */ SELECT ${n}`, []).name);

    expect(new Set(names.slice(0, -1)).size).toBe(MAX_PREPARED);
    expect(names.at(-1)).toBeUndefined();
    expect(prepared('/* lists.read */ SELECT 0', []).name).toBe(names[0]);
  });
});
