import type { Proof } from './support/proof.js';

export const idempotency: Proof = {
  name: 'idempotency',
  promise: '',
  attack: '',
  quick: false,
  run: () => Promise.reject(new Error('not yet')),
};
