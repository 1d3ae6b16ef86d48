import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { MailLoop } from './mail-loop.js';

class Failing extends MailLoop {
  attempts = 0;

  override sendNext(): Promise<boolean> {
    this.attempts++;
    return Promise.reject(Object.assign(new Error('the text'), { code: 'ECONNREFUSED' }));
  }
}

describe('MailLoop', () => {
  it('writes one line for an outage, however many its attempts', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const loop = new Failing('Notices');

    loop.onApplicationBootstrap();
    while (loop.attempts < 3) await sleep(20);
    await loop.beforeApplicationShutdown();

    expect(warn.mock.calls).toEqual([['Notices cannot be sent: ECONNREFUSED']]);
    warn.mockRestore();
  });
});
