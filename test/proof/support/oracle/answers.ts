import type { Exchange } from '../history.js';
import type { Service } from '../service.js';
import { CANARY } from '../store-setup.js';

const DOCUMENTED: ReadonlySet<number> = new Set([200, 201, 304, 400, 401, 403, 404, 409, 422, 429, 500, 503]);
const INSIDE: Readonly<Record<string, RegExp>> = {
  'a stack': /\bat (?:async )?[\w.<>]+ \(?(?:file:|node:|\/)/,
  'a path': /node_modules|\/(?:apps|libs|packages|dist|work|tmp|home|root)\//,
  SQL: /\b(?:SELECT|INSERT INTO|DELETE FROM|UPDATE \w+ SET|violates \w+ constraint|relation ")/,
};
/** A change of an order, which answers with the whole order. */
const CHANGE = /^\/v1\/orders\/[^/]+\/\w/;
/** pino's number for error. */
const ERROR_LEVEL = 50;

/** Invariant 6: every body is an envelope, and neither bodies nor logs reveal internals or secrets. */
export function answerViolations(exchanges: readonly Exchange[], processes: readonly Service[], keys: string[] = []) {
  const secrets = [CANARY, ...keys];
  const found = [
    ...exchanges.flatMap(bodyViolations),
    ...processes.flatMap((service) => logViolations(service, secrets)),
  ];
  // A single defect affects thousands of answers, so the first few of each kind suffice.
  return [...new Set(found)].slice(0, 50);
}

/** Answers that report a failure of the service, for proofs that cause none. */
export function unexpectedAnswers(exchanges: readonly Exchange[], expected: readonly (number | null)[]): string[] {
  return exchanges
    .filter(({ status }) => !expected.includes(status))
    .map(({ status, error, bytes }) => `answered ${status ?? error}: ${bytes.toString().slice(0, 200)}`)
    .slice(0, 20);
}

function bodyViolations({ status, bytes, method, path }: Exchange): string[] {
  if (status === null || status === 304) return [];
  const text = bytes.toString();
  const what = `${method} ${path} ${status}`;
  const violations = Object.entries(INSIDE)
    .filter(([, pattern]) => pattern.test(text))
    .map(([kind]) => `${what}: ${kind} in the body: ${text.slice(0, 200)}`);
  if (!DOCUMENTED.has(status)) violations.push(`${what}: not a documented status`);
  if (path.startsWith('/v1') && !isEnvelope(text, status))
    violations.push(`${what}: no envelope: ${text.slice(0, 200)}`);
  if (method === 'POST' && !CHANGE.test(path) && text.includes(CANARY))
    violations.push(`${what}: personal data in the body`);
  return violations;
}

const ENVELOPES = [
  'success,data',
  'success,data,pagination',
  'success,data,cursor,has_more',
  'success,data,cursor,has_more,rewound',
];

const FAILURES = ['success,error,code', 'success,error,code,faults'];

function isEnvelope(text: string, status: number): boolean {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    const names = Object.keys(body).join();
    if (status < 400) return body['success'] === true && ENVELOPES.includes(names);
    const hasText = typeof body['error'] === 'string' && body['error'] !== '';
    return hasText && (names === 'error' ? status === 401 || status === 403 : FAILURES.includes(names));
  } catch {
    return false;
  }
}

function logViolations(service: Service, secrets: readonly string[]): string[] {
  return service.log.split('\n').flatMap((line) => {
    const told = `log of process ${service.pid}: ${line.slice(0, 300)}`;
    if (secrets.some((secret) => line.includes(secret))) return [`a secret in the ${told}`];
    if (line === '' || service.url === '') return [];
    try {
      return (JSON.parse(line) as { level: number }).level >= ERROR_LEVEL ? [`a defect in the ${told}`] : [];
    } catch {
      return [`no JSON in the ${told}`];
    }
  });
}
