export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The lines of `Set-Cookie`. */
  readonly setCookies: readonly string[];
  readonly body: { readonly data?: Record<string, unknown>; readonly error?: string };
}

export interface BrowserRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: object;
}

export type SendRequest = (request: BrowserRequest) => Promise<BrowserAnswer>;

/** Keeps cookies like a browser, and sends what our own page sends. */
export class Browser {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly send: SendRequest,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  async ask(method: string, url: string, body?: object, more: Record<string, string> = {}): Promise<BrowserAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...this.headers, ...(cookie && { cookie }), ...more };
    const answer = await this.send({ method, url, headers, ...(body && { body }) });
    for (const line of answer.setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }

  requestCode(email: string): Promise<BrowserAnswer> {
    return this.ask('POST', '/dashboard/sign-in/code', { email });
  }

  lookAt(link: string): Promise<BrowserAnswer> {
    return this.ask('POST', '/dashboard/sign-in/link', { link });
  }

  enter(proof: { code: string } | { link: string }, store?: string): Promise<BrowserAnswer> {
    return this.ask('POST', '/dashboard/session', { ...proof, ...(store !== undefined && { store }) });
  }

  signOut(): Promise<BrowserAnswer> {
    return this.ask('DELETE', '/dashboard/session');
  }

  /** Sends a read with the session of the mode. */
  read(url = '/v1/key', mode = 'live'): Promise<BrowserAnswer> {
    return this.ask('GET', url, undefined, { 'x-dashboard': mode });
  }
}

/** Finds the code in a mail. The ids in its head have groups of four as well. */
export const codeIn = (mail: string): string => /^ {4}([0-9A-Z]{4}-[0-9A-Z]{4})\r?$/m.exec(mail)?.[1] ?? '';
