// Measures the built service: npm run bench -- [dashboard|flat|mixture|webhooks] [--quick]. Without a name, against the reference.

const BENCHES = {
  dashboard: () => import('./dashboard/run.js'),
  flat: () => import('./flatness/run.js'),
  mixture: () => import('./mixture/run.js'),
  webhooks: () => import('./webhooks/run.js'),
};
const [, , name] = process.argv;
const named = Object.entries(BENCHES).find(([each]) => each === name)?.[1];
await (named ? named() : import('./against-reference.js'));
