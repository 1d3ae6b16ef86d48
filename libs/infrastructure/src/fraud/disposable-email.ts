import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';

// Once: the package's own check builds the set of thousands of domains again with every call.
const DOMAINS = disposableEmailBlocklistSet();

/** Whether the e-mail's domain, or one it is a subdomain of, belongs to a provider of throw-away addresses. */
export function isDisposableEmail(email: string): boolean {
  const labels = email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase()
    .replace(/\.$/, '')
    .split('.');
  return labels.some((_, index) => DOMAINS.has(labels.slice(index).join('.')));
}
