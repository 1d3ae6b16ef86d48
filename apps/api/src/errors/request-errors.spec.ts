import * as application from '@app/application';
import * as domain from '@app/domain';
import { ERROR_CODES } from './request-errors.js';

/** What extensions extend, and signals between an adapter and its use case. */
const WITHOUT_CODE = ['DomainError', 'ApplicationError', 'ReceiptNumberTaken', 'UndeliverableMessage'];

/** Raised by the commands of operators only. No route of the API can end with them. */
const OPERATORS_ONLY = ['ApiKeyNotActive', 'OrdersOpen', 'SubdomainTaken'];

const classes = Object.entries({ ...domain, ...application } as Record<string, unknown>)
  .filter(([, value]) => typeof value === 'function' && value.prototype instanceof Error)
  .map(([name, value]) => ({ name, code: (value as { code?: string }).code }));

describe('the error codes', () => {
  it('belong to every error class', () => {
    const without = classes.filter(({ code }) => code === undefined).map(({ name }) => name);

    expect(without.sort()).toEqual([...WITHOUT_CODE].sort());
  });

  it('are those of every error that the API can answer with', () => {
    const others = classes.filter(({ code = '' }) => code !== '' && !ERROR_CODES.has(code)).map(({ name }) => name);

    expect(others.sort()).toEqual(OPERATORS_ONLY);
    expect([...ERROR_CODES].filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
  });
});
