const BEARER = /^Bearer +(\S+) *$/i;

/** The key in the value of an Authorization header. */
export function bearerKey(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}
