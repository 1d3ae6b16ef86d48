import { prettyLine } from './pretty-lines.js';

const line = (fields: object) => prettyLine(JSON.stringify({ level: 30, time: '2026-11-21T07:00:01.234Z', ...fields }));

describe('a line on a terminal', () => {
  it('has the time, the level, the message and the fields', () => {
    expect(line({ msg: 'request', method: 'GET', status: 200 })).toBe(
      '07:00:01.234 INFO  request method=GET status=200\n',
    );
  });

  it('has the call sites of an error below it', () => {
    expect(line({ level: 50, context: 'Orders', msg: 'no', error: { code: '23505', stack: '  at a\n  at b' } })).toBe(
      '07:00:01.234 ERROR [Orders] no code=23505\n  at a\n  at b\n',
    );
  });

  it('cannot control the terminal', () => {
    expect(line({ msg: 'a\u001b[2Jb\u202e' })).toBe('07:00:01.234 INFO  a\\u001b[2Jb\\u202e\n');
  });
});
