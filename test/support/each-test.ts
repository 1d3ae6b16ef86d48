import { takeContradictions } from './documented-answers.js';

// A test fails when the service gives an answer during it that contradicts the API document.
afterEach(() => {
  expect(takeContradictions()).toEqual([]);
});
