/**
 * Parses a URL; returns null when the text is not a URL. `URL.canParse` fails for hosts such as `münchen.example` on
 * Node 20.
 */
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

/** Whether the host of a URL is this machine. What is sent there crosses no network. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.has(hostname);
