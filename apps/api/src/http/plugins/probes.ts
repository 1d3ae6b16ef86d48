/** Load balancers request these routes every few seconds. Metrics cover them; logs and traces leave them out. */
const PROBES = new Set(['/health', '/health/live', '/health/ready', '/metrics']);

/** @param route the pattern of the route; `undefined` for an unknown path. */
export function isProbe(route: string | undefined): boolean {
  return route !== undefined && PROBES.has(route);
}
