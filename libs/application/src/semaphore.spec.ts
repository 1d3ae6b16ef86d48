import { Deadline } from './deadline.js';
import { Overloaded } from './failures.js';
import { Semaphore } from './semaphore.js';

describe('Semaphore', () => {
  let finish: () => void = () => undefined;
  const until = () => new Promise<void>((resolve) => (finish = resolve));
  const done = () => Promise.resolve('done');

  it('refuses a 65th waiting task of one owner at once', async () => {
    const semaphore = new Semaphore(() => 1, 1_000);
    const running = semaphore.run('a', until);
    const waiting = Array.from({ length: 64 }, () => semaphore.run('a', done));

    await expect(semaphore.run('a', done)).rejects.toThrow(Overloaded);
    finish();
    await running;

    await expect(Promise.all(waiting)).resolves.toHaveLength(64);
  });

  it('lets a task wait instead of the newest task of the owner with the most, when two owners have filled the queue', async () => {
    const semaphore = new Semaphore(() => 1, 1_000);
    const running = semaphore.run('a', until);
    const fewer = Array.from({ length: 31 }, () => semaphore.run('a', done));
    const most = Array.from({ length: 33 }, () => semaphore.run('b', done));
    const other = semaphore.run('c', done);

    await expect(most.pop()).rejects.toThrow(Overloaded);
    finish();
    await running;

    await expect(other).resolves.toBe('done');
    await expect(Promise.all([...fewer, ...most])).resolves.toHaveLength(63);
  });

  it('runs the waiting task of another owner before those of an owner whose tasks run', async () => {
    const semaphore = new Semaphore(() => 2, 1_000);
    const order: string[] = [];
    const finishes: (() => void)[] = [];
    const running = [1, 2].map(() => semaphore.run('a', () => new Promise<void>((resolve) => finishes.push(resolve))));
    const waiting = ['a1', 'a2', 'b'].map((task) =>
      semaphore.run(task[0], () => {
        order.push(task);
        return Promise.resolve();
      }),
    );

    finishes[0]?.();
    await Promise.all(waiting);
    finishes[1]?.();
    await Promise.all(running);

    expect(order).toEqual(['b', 'a1', 'a2']);
  });

  it('refuses a 65th waiting task, and accepts tasks again after the others ran', async () => {
    const semaphore = new Semaphore(() => 1, 1_000);
    const running = semaphore.run('a', until);
    const waiting = Array.from({ length: 64 }, (_, n) => semaphore.run(n, done));
    const refused = semaphore.run('z', done);

    await expect(refused).rejects.toThrow(Overloaded);
    finish();
    await Promise.all([running, ...waiting]);

    await expect(semaphore.run('z', done)).resolves.toBe('done');
  });

  it('refuses a third task of an owner that may run two, and runs that of another owner', async () => {
    const semaphore = new Semaphore(() => 4, 10, 2);
    const finishes: (() => void)[] = [];
    const running = [1, 2].map(() => semaphore.run('a', () => new Promise<void>((resolve) => finishes.push(resolve))));

    await expect(semaphore.run('a', done)).rejects.toThrow(Overloaded);
    await expect(semaphore.run('b', done)).resolves.toBe('done');
    finishes.forEach((end) => end());
    await Promise.all(running);

    await expect(semaphore.run('a', done)).resolves.toBe('done');
  });

  it('lets a waiting task of an owner wait until a task of the owner ends, although other slots are free', async () => {
    const semaphore = new Semaphore(() => 3, 1_000, 1);
    const order: string[] = [];
    const running = semaphore.run('a', until);
    const note = (task: string) => () => Promise.resolve(order.push(task));
    const waiting = semaphore.run('a', note('a'));
    await semaphore.run('b', note('b'));

    finish();
    await Promise.all([running, waiting]);

    expect(order).toEqual(['b', 'a']);
  });

  it('refuses a waiting task at its deadline', async () => {
    const semaphore = new Semaphore(() => 1, 60_000);
    const running = semaphore.run('a', until);

    await expect(semaphore.run('b', done, Deadline.in(10))).rejects.toThrow(Overloaded);
    finish();
    await running;
  });

  it('lets any number of tasks wait without a limit on those', async () => {
    const semaphore = new Semaphore(() => 1, 60_000, 1, Infinity);
    const running = semaphore.run('a', until);
    const waiting = Array.from({ length: 200 }, () => semaphore.run('a', done));

    finish();
    await running;

    await expect(Promise.all(waiting)).resolves.toHaveLength(200);
  });
});
