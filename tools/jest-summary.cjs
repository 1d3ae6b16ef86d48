const { writeSync } = require('node:fs');

/**
 * Ends a run with one plain line that any CI can parse: `N passed, N failed`. With `NO_TEST_MAY_BE_SKIPPED`, a run that skips a test
 * fails.
 */
module.exports = class JestSummary {
  onRunComplete(_contexts, results) {
    // A suite that fails to load counts as one failure, because its tests do not run.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    this.skipped = results.numPendingTests;
    if (this.mayNotSkip) writeSync(2, '\nTests were skipped, and NO_TEST_MAY_BE_SKIPPED is set.\n');
    const skipped = this.skipped > 0 ? `, ${this.skipped} skipped` : '';
    // Printed on exit, because Jest prints its own summary after all reporters are done.
    process.once('exit', () => writeSync(1, `\n${results.numPassedTests} passed, ${failed} failed${skipped}\n`));
  }

  /** Jest prints no error of a reporter. */
  getLastError() {
    return this.mayNotSkip ? new Error('skipped') : undefined;
  }

  get mayNotSkip() {
    return Boolean(process.env.NO_TEST_MAY_BE_SKIPPED) && this.skipped > 0;
  }
};
