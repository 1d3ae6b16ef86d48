import { credentialOf } from '../support/credential.js';
import { SECRETS, type Canaries } from './canaries.js';

interface Question {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
  readonly mayName?: boolean;
}

const ANSWER_TIMEOUT_MS = 10_000;

export class Asker {
  readonly violations: string[] = [];
  readonly statuses = new Set<number>();
  asked = 0;

  constructor(
    readonly url: string,
    private readonly canaries: Canaries,
  ) {}

  async ask(path: string, question: Question = {}): Promise<{ status: number; headers: Headers; body: string }> {
    const { method = 'GET', key, headers = {}, body } = question;
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      headers: {
        ...(key !== undefined && credentialOf(key)),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { status, headers: told } = response;
    const answer = { status, headers: told, body: await response.text() };
    const text = `${[...told].join('\n')}\n${answer.body}`;
    this.check(`${method} ${path}`, status, text, question.mayName === true && status < 400);
    return answer;
  }

  private check(what: string, status: number, told: string, mayName: boolean): void {
    this.asked++;
    this.statuses.add(status);
    const kinds = mayName ? SECRETS : [...SECRETS, 'pers' as const];
    const found = this.canaries.find(told, kinds);
    if (found.length > 0) this.violations.push(`${found.join()} in the answer (${status}) to ${what.slice(0, 120)}`);
  }
}
