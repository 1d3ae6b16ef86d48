/** The URL of a text; null when it is none. Not `URL.canParse`, which fails for hosts such as `münchen.example` on Node 20. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
