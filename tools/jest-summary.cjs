const { writeSync } = require('node:fs');

/** Ends a run with one plain line that any CI can read: `N passed, N failed`. */
module.exports = class JestSummary {
  onRunComplete(_contexts, results) {
    // A suite that could not be loaded counts as one failure: its tests never got a chance to.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests > 0 ? `, ${results.numPendingTests} skipped` : '';
    // Jest prints its own summary after every reporter is done: only the exit comes later.
    process.once('exit', () => writeSync(1, `\n${results.numPassedTests} passed, ${failed} failed${skipped}\n`));
  }
};
