import { takeContradictions } from './documented-answers.js';

// The test during which the service answered what its document does not say is the one that fails.
afterEach(() => {
  expect(takeContradictions()).toEqual([]);
});
