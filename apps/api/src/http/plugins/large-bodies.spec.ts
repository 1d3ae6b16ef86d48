import { LargeBodies } from './large-bodies.js';
import { Overloaded } from '../../errors/overloaded.js';

const busy = (milliseconds: number) => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};

describe('LargeBodies', () => {
  it('reads bodies one after the other, in order of arrival', async () => {
    const bodies = new LargeBodies();
    const read: number[] = [];

    await Promise.all([1, 2, 3].map((n) => bodies.inTurn(() => read.push(n))));

    expect(read).toEqual([1, 2, 3]);
  });

  it('leaves four fifths of the time to other requests', async () => {
    const bodies = new LargeBodies();
    const start = performance.now();

    await Promise.all(Array.from({ length: 5 }, () => bodies.inTurn(() => busy(10))));

    // Five times 10 ms, and four pauses in between.
    expect(performance.now() - start).toBeGreaterThan(5 * 10 + 4 * 39);
  });

  it('reads the next body after one that fails', async () => {
    const bodies = new LargeBodies();
    const broken = bodies.inTurn(() => {
      throw new SyntaxError('broken');
    });

    await expect(broken).rejects.toThrow('broken');
    await expect(bodies.inTurn(() => 'read')).resolves.toBe('read');
  });

  it('refuses a body while 64 wait, and reads again after they are done', async () => {
    const bodies = new LargeBodies();
    const all = Array.from({ length: 66 }, (_, n) => bodies.inTurn(() => n));

    await expect(all.pop()).rejects.toThrow(Overloaded);
    await expect(Promise.all(all)).resolves.toHaveLength(65);
    await expect(bodies.inTurn(() => 'read')).resolves.toBe('read');
  });

  it('refuses a body that waited over 2 s without reading it', async () => {
    const bodies = new LargeBodies();
    void bodies.inTurn(() => busy(550)); // and a pause of 2.2 s
    let isRead = false;

    await expect(bodies.inTurn(() => (isRead = true))).rejects.toThrow(Overloaded);

    expect(isRead).toBe(false);
  });
});
