// Measures the built service: npm run bench -- [flat|webhooks] [--quick]. Without a name, against the reference.

const BENCHES = {
  flat: () => import('./flatness/run.js'),
  webhooks: () => import('./webhooks/run.js'),
};
const [, , name] = process.argv;
await (name === 'flat' || name === 'webhooks' ? BENCHES[name] : () => import('./against-reference.js'))();
