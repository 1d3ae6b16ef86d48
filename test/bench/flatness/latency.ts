import http from 'node:http';

const WARM_UP = 60;
const MEASURED = 300;

/**
 * Median milliseconds from a request to the last byte of its answer, for one client that sends requests sequentially.
 */
export async function medianLatency(url: string, key: string): Promise<number> {
  const authorization = `Bearer ${key}`;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  try {
    for (let n = 0; n < WARM_UP + MEASURED; n++) {
      const start = performance.now();
      await ask(url, { authorization }, agent);
      if (n >= WARM_UP) times.push(performance.now() - start);
    }
  } finally {
    agent.destroy();
  }
  return times.sort((a, b) => a - b)[MEASURED / 2] ?? NaN;
}

function ask(url: string, headers: http.OutgoingHttpHeaders, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent, headers }, (response) => {
        response.resume();
        response.on('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${url}: ${response.statusCode}`));
        });
      })
      .on('error', reject);
  });
}
