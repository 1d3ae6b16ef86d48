// Measures the built service: npm run bench -- [flat|mixture|webhooks] [--quick]. Without a name, against the reference.

const BENCHES = {
  flat: () => import('./flatness/run.js'),
  mixture: () => import('./mixture/run.js'),
  webhooks: () => import('./webhooks/run.js'),
};
const [, , name] = process.argv;
await (
  name === 'flat' || name === 'mixture' || name === 'webhooks' ? BENCHES[name] : () => import('./against-reference.js')
)();
