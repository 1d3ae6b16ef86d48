import type { IncomingMessage, ServerResponse } from 'node:http';
import { refusePipelining } from './pipelining.js';

describe('a request on a connection', () => {
  const connection = () => {
    const served: object[] = [];
    const socket = { destroyed: false, destroy: () => void (socket.destroyed = true) };
    const listen = refusePipelining((_request, response) => void served.push(response));
    const receive = (response: { closed: boolean }) =>
      listen({ socket } as unknown as IncomingMessage, response as unknown as ServerResponse);
    return { served, socket, receive };
  };
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  it('is served when the answer before it is written in the same turn of the event loop', async () => {
    const { served, socket, receive } = connection();
    const [first, second] = [{ closed: false }, { closed: false }];

    receive(first);
    receive(second);
    first.closed = true;
    await nextTurn();

    expect([served, socket.destroyed]).toEqual([[first, second], false]);
  });

  it('ends the connection when the answer before it is not written', async () => {
    const { served, socket, receive } = connection();

    for (let n = 0; n < 3; n++) receive({ closed: false });
    await nextTurn();

    expect([served.length, socket.destroyed]).toEqual([1, true]);
  });
});
