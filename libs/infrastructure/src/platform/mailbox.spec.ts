import { readMailbox } from './mailbox.js';

describe('readMailbox', () => {
  it.each([
    ['orders@example.com', { name: '', address: 'orders@example.com' }],
    ['<orders@example.com>', { name: '', address: 'orders@example.com' }],
    ['The Shop <orders@example.com>', { name: 'The Shop', address: 'orders@example.com' }],
    ['"Shop, \\"Inc\\"" <orders@example.com>', { name: 'Shop, "Inc"', address: 'orders@example.com' }],
    ['A\r\nBcc: x@y.z <orders@example.com>', { name: 'A Bcc: x@y.z', address: 'orders@example.com' }],
  ])('reads %j', (text, expected) => {
    expect(readMailbox(text)).toEqual(expected);
  });

  it.each(['', 'orders', 'a@b.cd, c@d.ef', 'A <a@b.cd>, B <c@d.ef>', 'A <a@b.cd', 'A <>'])('refuses %j', (text) => {
    expect(readMailbox(text)).toBeNull();
  });
});
