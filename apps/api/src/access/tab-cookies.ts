import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieNames, readCookie, setCookie } from './session-cookies.js';

/** Tabs may sign in at the same time. A browser that begins more would send requests whose headers are too long. */
const MAX_TABS = 5;
const NAMES = { oidc: /^oidc-[\w-]{8}$/, signin: /^signin-[\w-]{8}$/ } as const;

type Kind = keyof typeof NAMES;

/** Null for a text that no tab has drawn. */
function nameOf(kind: Kind, drawn: string): string | null {
  const name = `${kind}-${drawn.slice(0, 8)}`;
  return NAMES[kind].test(name) ? name : null;
}

/** @param drawn a random text that comes back with the tab, which the value belongs to. */
export function readTabCookie(request: FastifyRequest, kind: Kind, drawn: string): string | undefined {
  const name = nameOf(kind, drawn);
  return name === null ? undefined : readCookie(request, name);
}

/** Removes the oldest ones of the kind. */
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
