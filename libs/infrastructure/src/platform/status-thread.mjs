// The thread of `status-server.ts`. Plain JavaScript: a thread needs a file that Node runs as it is, from the sources too.
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** More than scrapers and probes need, and few enough to leave the process its descriptors. */
const MAX_CONNECTIONS = 50;

const { host, port, silentAfterMs } = workerData;
let { state } = workerData;
let reportedAt = performance.now();
let serial = 0;
/** Responses that wait for the text of the metrics. */
const waiting = new Map();
const served = new WeakSet();
/** Tells Node's parser to treat the rest of a packet as data of another protocol. */
const STOP = 2;

parentPort.on('message', ({ report, scrape }) => {
  if (report) {
    state = report;
    reportedAt = performance.now();
  }
  if (scrape) {
    const response = waiting.get(scrape.id);
    waiting.delete(scrape.id);
    if (scrape.text) response?.setHeader('content-type', scrape.contentType).end(scrape.text);
    else response?.writeHead(500).end();
  }
});

const limits = { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 };

const server = createServer(limits, (request, response) => {
  const { socket } = request;
  // One request per connection. Node parses a packet to its end after the connection closed, and keeps two objects for
  // each of its requests: the packets of a few connections would fill the thread's memory.
  response.shouldKeepAlive = false;
  if (served.has(socket)) {
    if (socket.parser) socket.parser.onIncoming = () => STOP;
    socket.destroy();
    return;
  }
  served.add(socket);
  // Drops the body as it arrives. Node would keep an object for each chunk until the answer is sent.
  request._dump();
  // No endpoint here takes a body or changes anything.
  const path = request.method === 'GET' ? request.url.replace(/\?.*$/s, '') : undefined;
  if (path === '/metrics') {
    const id = ++serial;
    waiting.set(id, response);
    response.once('close', () => waiting.delete(id));
    parentPort.postMessage({ scrape: id });
    return;
  }
  const [status, body] = answerTo(path);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
});

function answerTo(path) {
  // A process that stopped reporting is stuck, whatever it reported last.
  const isStuck = performance.now() - reportedAt > silentAfterMs;
  if (path === '/health/live') return state.isLive && !isStuck ? [200, { status: 'ok' }] : [503, { status: 'error' }];
  if (path !== '/health/ready' || !state.readiness) return [404, { success: false, error: 'Not found' }];
  if (isStuck) return [503, { status: 'error' }];
  return [state.readiness.status === 'ok' ? 200 : 503, state.readiness];
}

server.maxConnections = MAX_CONNECTIONS;
server.setTimeout(10_000);
server.once('error', ({ code, message }) => parentPort.postMessage({ failure: { code, message, port } }));
server.listen(port, host, () => parentPort.postMessage({ port: server.address().port }));
