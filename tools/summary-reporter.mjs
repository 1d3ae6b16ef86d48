import { writeSync } from 'node:fs';

/**
 * Ends a run with one plain line that any CI can parse: `N passed, N failed`. With `NO_TEST_MAY_BE_SKIPPED`, a run that skips a test
 * fails.
 */
export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      // A file that fails to load and a failed hook count as one failure, because the tests after it do not run.
      for (const part of [module, ...module.children.allSuites()]) count.failed += part.errors().length;
      for (const test of module.children.allTests()) count[test.result().state] += 1;
    }
    const skipped = count.skipped + count.pending;
    if (process.env.NO_TEST_MAY_BE_SKIPPED && skipped > 0) {
      writeSync(2, '\nTests were skipped, and NO_TEST_MAY_BE_SKIPPED is set.\n');
      process.exitCode = 1;
    }
    // The line is printed on exit, because Vitest prints its own summary later, and the teardown may fail.
    process.once('exit', (code) => {
      const failed = Math.max(count.failed, Number(code !== 0));
      writeSync(1, `\n${count.passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
    });
  }
}
