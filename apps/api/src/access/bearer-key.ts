const BEARER = /^Bearer +(\S+) *$/i;

export function bearerKey(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}
