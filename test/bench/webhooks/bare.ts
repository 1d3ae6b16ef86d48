import https from 'node:https';

// This program is the baseline of webhooks: one message after the other, without a database, a signature or a check of
// the address.

export interface Messages {
  readonly url: string;
  readonly ca: string;
  readonly body: string;
  readonly count: number;
}

process.on('message', ({ url, ca, body, count }: Messages) => {
  const agent = new https.Agent({ keepAlive: true, ca });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const request = https.request(url, { agent, headers, method: 'POST' }, (response) => {
        response.resume().once('end', resolve);
      });
      request.once('error', reject).end(body);
    });
  void (async () => {
    for (let n = 0; n < count; n++) await post();
    agent.destroy();
    process.send?.('done');
  })();
});
process.send?.('ready');
