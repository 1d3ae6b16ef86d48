/** The URL of a text; null when it is none. Not `URL.canParse`, which fails for hosts such as `münchen.example` on Node 20. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Whether the text is an http or https URL, in full and without blanks. */
export const isWebAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text) && parseUrl(text) !== null;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a host, as in a URL, is this machine: what is sent there is on no network. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.has(hostname);
