const BROKEN_OR_ENCODED = /(?:%[0-9a-f]{2})+|%/gi;

/**
 * The request target as the router, the early authentication and the handlers are to see it: without scheme and
 * authority, and with every `%` that cannot be decoded spelled `%25`. The router refuses such paths before any hook
 * runs, so a request without a key would be told that instead of 401.
 */
export function routableTarget(target: string): string {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^(?=[?#]|$)/, '/');
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes('%') || isDecodable(path)) return url;
  const repaired = path.replace(BROKEN_OR_ENCODED, (run) => (isDecodable(run) ? run : run.replaceAll('%', '%25')));
  return end < 0 ? repaired : repaired + url.slice(end);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
