import { LargeBodies } from './large-bodies.js';
import { ClientGone } from '../../errors/client-gone.js';
import { Overloaded } from '@app/application';

/** Lets time pass, as a body does that takes so long to read. */
const busy = (milliseconds: number) => jest.advanceTimersByTime(milliseconds);

describe('LargeBodies', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('reads bodies one after the other, in order of arrival', async () => {
    const bodies = new LargeBodies();
    const read: number[] = [];

    const all = Promise.all([1, 2, 3].map((n) => bodies.inTurn(() => read.push(n))));
    await jest.runAllTimersAsync();
    await all;

    expect(read).toEqual([1, 2, 3]);
  });

  it('leaves four fifths of the time to other requests', async () => {
    const bodies = new LargeBodies();
    const start = performance.now();
    const reads: number[] = [];
    const read = () => {
      reads.push(performance.now() - start);
      busy(10);
    };

    const all = Promise.all(Array.from({ length: 5 }, () => bodies.inTurn(read)));
    await jest.runAllTimersAsync();
    await all;

    expect(reads).toEqual([0, 50, 100, 150, 200]);
  });

  it('reads the next body after one that fails', async () => {
    const bodies = new LargeBodies();
    const broken = bodies.inTurn(() => {
      throw new SyntaxError('broken');
    });

    await expect(broken).rejects.toThrow('broken');
    const next = bodies.inTurn(() => 'read');
    await jest.runAllTimersAsync();
    await expect(next).resolves.toBe('read');
  });

  it('makes no pause after bodies whose clients are gone', async () => {
    const bodies = new LargeBodies();
    const gone = Array.from({ length: 60 }, () =>
      bodies.inTurn(() => {
        throw new ClientGone();
      }),
    );
    const start = performance.now();
    const readAfter = bodies.inTurn(() => performance.now() - start);

    const ended = Promise.allSettled(gone);
    await jest.runAllTimersAsync();
    await ended;

    await expect(readAfter).resolves.toBe(0);
  });

  it('refuses a body while 64 wait, and reads again after they are done', async () => {
    const bodies = new LargeBodies();
    const all = Array.from({ length: 66 }, (_, n) => bodies.inTurn(() => n));

    await expect(all.pop()).rejects.toThrow(Overloaded);
    await jest.runAllTimersAsync();
    await expect(Promise.all(all)).resolves.toHaveLength(65);
    await expect(bodies.inTurn(() => 'read')).resolves.toBe('read');
  });

  it('refuses a body that waited over 2 s without reading it', async () => {
    const bodies = new LargeBodies();
    void bodies.inTurn(() => busy(550)); // and a pause of 2.2 s
    let isRead = false;
    const late = expect(bodies.inTurn(() => (isRead = true))).rejects.toThrow(Overloaded);

    await jest.runAllTimersAsync();
    await late;

    expect(isRead).toBe(false);
  });
});
