import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';

// Built once: the package's own check builds the set of thousands of domains on every call.
const DOMAINS = disposableEmailBlocklistSet();

/** Whether the e-mail's domain, or a parent domain, belongs to a provider of disposable addresses. */
export function isDisposableEmail(email: string): boolean {
  const labels = email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase()
    .replace(/\.$/, '')
    .split('.');
  return labels.some((_, index) => DOMAINS.has(labels.slice(index).join('.')));
}
