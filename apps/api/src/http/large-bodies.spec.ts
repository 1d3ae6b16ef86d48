import { LargeBodies } from './large-bodies.js';
import { Overloaded } from '@app/application';

const busy = (milliseconds: number) => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};

describe('LargeBodies', () => {
  it('are read one after the other, in the order in which they came', async () => {
    const bodies = new LargeBodies();
    const read: number[] = [];

    await Promise.all([1, 2, 3].map((n) => bodies.inTurn(() => read.push(n))));

    expect(read).toEqual([1, 2, 3]);
  });

  it('leave four fifths of the time to others', async () => {
    const bodies = new LargeBodies();
    const start = performance.now();

    await Promise.all(Array.from({ length: 5 }, () => bodies.inTurn(() => busy(10))));

    // Five times 10 ms, and four rests in between.
    expect(performance.now() - start).toBeGreaterThan(5 * 10 + 4 * 39);
  });

  it('go on after one that cannot be read', async () => {
    const bodies = new LargeBodies();
    const broken = bodies.inTurn(() => {
      throw new SyntaxError('broken');
    });

    await expect(broken).rejects.toThrow('broken');
    await expect(bodies.inTurn(() => 'read')).resolves.toBe('read');
  });

  it('are refused when 64 wait, and read again when they are through', async () => {
    const bodies = new LargeBodies();
    const all = Array.from({ length: 66 }, (_, n) => bodies.inTurn(() => n));

    await expect(all.pop()).rejects.toThrow(Overloaded);
    await expect(Promise.all(all)).resolves.toHaveLength(65);
    await expect(bodies.inTurn(() => 'read')).resolves.toBe('read');
  });

  it('are refused when they waited for over 2 s, without being read', async () => {
    const bodies = new LargeBodies();
    void bodies.inTurn(() => busy(550)); // and a rest of 2.2 s
    let isRead = false;

    await expect(bodies.inTurn(() => (isRead = true))).rejects.toThrow(Overloaded);

    expect(isRead).toBe(false);
  });
});
