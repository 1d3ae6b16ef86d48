import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieNames, readCookie, setCookie } from './session-cookies.js';

/**
 * The number of tabs that may be signing in at the same time. With more cookies, a browser would send too long headers.
 */
const MAX_TABS = 5;
const NAMES = { oidc: /^oidc-[\w-]{8}$/, signin: /^signin-[\w-]{8}$/ } as const;

type Kind = keyof typeof NAMES;

/** Returns null for a text that no tab can have drawn. */
function nameOf(kind: Kind, drawn: string): string | null {
  const name = `${kind}-${drawn.slice(0, 8)}`;
  return NAMES[kind].test(name) ? name : null;
}

/** @param drawn the random text that the tab sends back; the value belongs to this tab. */
export function readTabCookie(request: FastifyRequest, kind: Kind, drawn: string): string | undefined {
  const name = nameOf(kind, drawn);
  return name === null ? undefined : readCookie(request, name);
}

/** Adds a cookie and removes the oldest ones of the same kind. */
export function addTabCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: Kind,
  drawn: string,
  { value, seconds }: { readonly value: string; readonly seconds: number },
): void {
  const kept = cookieNames(request).filter((name) => NAMES[kind].test(name));
  for (const name of kept.slice(0, Math.max(0, kept.length + 1 - MAX_TABS))) remove(request, reply, name);
  const name = nameOf(kind, drawn);
  if (name !== null) setCookie(request, reply, name, value, { seconds, sameSite: 'lax' });
}

export function removeTabCookie(request: FastifyRequest, reply: FastifyReply, kind: Kind, drawn: string): void {
  const name = nameOf(kind, drawn);
  if (name !== null) remove(request, reply, name);
}

const remove = (request: FastifyRequest, reply: FastifyReply, name: string) =>
  setCookie(request, reply, name, '', { seconds: 0, sameSite: 'lax' });
