import { PublicFile } from './serve-from-memory.js';

const TEXT = 'text/css; charset=utf-8';

describe('a public file', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.1, gzip;q=0.2', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['BR', 'br'],
    ['br;q=0, gzip;q=0', null],
    ['*;q=0', null],
    ['identity, br;q=0.5', null],
    ['br;q=many', null],
    ['zstd', null],
    ['', null],
    [undefined, null],
  ])('is compressed for Accept-Encoding %j as %j', (accepted, coding) => {
    expect(new PublicFile('a', TEXT).codingFor(accepted)).toBe(coding);
  });

  it('is never compressed when it is an image', () => {
    expect(new PublicFile('a', 'image/png').codingFor('br')).toBeNull();
  });

  it('is compressed once, and not at all when the build has done it', () => {
    const built = Buffer.from('built');
    const file = new PublicFile('a', TEXT, { br: built });

    expect(file.in('gzip')).toBe(file.in('gzip'));
    expect(file.in('br')).toBe(built);
  });
});
