import 'reflect-metadata';
import { report } from './failures.js';
import { createProgram } from './program.js';

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
