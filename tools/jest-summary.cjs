const { writeSync } = require('node:fs');

/** Ends a run with one plain line that any CI can parse: `N passed, N failed`. */
module.exports = class JestSummary {
  onRunComplete(_contexts, results) {
    // A suite that fails to load counts as one failure, because its tests do not run.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests > 0 ? `, ${results.numPendingTests} skipped` : '';
    // Printed on exit, because Jest prints its own summary after all reporters are done.
    process.once('exit', () => writeSync(1, `\n${results.numPassedTests} passed, ${failed} failed${skipped}\n`));
  }
};
