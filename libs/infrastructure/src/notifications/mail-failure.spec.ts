import { MailFailure } from './mail-failure.js';

describe('MailFailure', () => {
  it.each([
    [{ code: 'EENVELOPE', responseCode: 550 }, 'SMTP_550'],
    [{ code: 'ESOCKET', originalCode: 'ECONNREFUSED' }, 'ECONNREFUSED'],
    [{ code: 'ECONNECTION' }, 'ECONNECTION'],
    [{ code: 'EABORT' }, 'ETIMEDOUT'],
    [{ code: 'to ada@example.com' }, 'EMAIL'],
    [{}, 'EMAIL'],
  ])('knows %j as %s', (fields, code) => {
    expect(MailFailure.of(Object.assign(new Error(), fields)).code).toBe(code);
  });

  it("keeps no part of the server's answer", () => {
    const failure = MailFailure.of(Object.assign(new Error('<ada@example.com> unknown'), { responseCode: 550 }));

    expect(`${failure.message} ${failure.stack} ${JSON.stringify(failure)}`).not.toContain('ada@');
    expect(failure.cause).toBeUndefined();
  });
});
