import { readUuid } from './values.js';

const UUID = '6f2b1c7e-9a3d-4c5b-8e1f-0123456789ab';

describe('readUuid', () => {
  it.each([UUID, UUID.toUpperCase(), '00000000-0000-0000-0000-000000000000'])('reads %s in lower case', (text) => {
    expect(readUuid(text)).toBe(text.toLowerCase());
  });

  it.each(['', `${UUID}\n`, ` ${UUID}`, `{${UUID}}`, UUID.replace('a', 'g'), UUID.replaceAll('-', '')])(
    'rejects %j',
    (text) => {
      expect(readUuid(text)).toBeNull();
    },
  );
});
