import { applicationErrors } from '@app/application';
import { domainErrors } from '@app/domain';
import { API_CODES } from './request-errors.js';

const errors = Object.values({ ...domainErrors, ...applicationErrors });

/** The values of `X-Error-Code`. A code keeps its meaning under `/v1`; docs/api.md explains each. */
export const ERROR_CODES: ReadonlySet<string> = new Set([
  ...errors.flatMap((error) => ('code' in error ? error.code : [])),
  ...API_CODES,
]);
