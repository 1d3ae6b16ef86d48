/** Load balancers request these every few seconds: metrics cover them, logs and traces leave them out. */
const PROBES = new Set(['/health', '/health/live', '/health/ready', '/metrics']);

export function isProbe(route: string | undefined): boolean {
  return route !== undefined && PROBES.has(route);
}
