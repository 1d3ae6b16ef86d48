describe('a prepared statement', () => {
  let MAX_TEXTS: number;
  let nameOf: (text: string) => string | undefined;
  beforeEach(async () => {
    // The module is reset because other files in this process have sent statements.
    vi.resetModules();
    const module = await import('./prepared.js');
    MAX_TEXTS = module.MAX_TEXTS;
    nameOf = (text) => module.prepared(text, []).name;
  });
  const list = (n: number) => `/* lists.read */ SELECT ${n}`;

  it('has a name while the process has sent few other texts of it, and keeps it', () => {
    const names = Array.from({ length: MAX_TEXTS + 1 }, (_, n) => nameOf(list(n)));

    expect(new Set(names.slice(0, -1)).size).toBe(MAX_TEXTS);
    expect(names.at(-1)).toBeUndefined();
    expect(nameOf(list(0))).toBe(names[0]);
  });

  it('has a name also after thousands of texts of another one', () => {
    for (let n = 0; n < 5_000; n++) nameOf(list(n));

    expect(nameOf('/* orders.insert */ SELECT 1')).toBe('orders.insert#0');
  });
});
