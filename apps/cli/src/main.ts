#!/usr/bin/env node
import 'reflect-metadata';
import { report } from './failures.js';
import { createProgram } from './program.js';

// Not a top-level await: the bundle is a script.
createProgram()
  .parseAsync()
  .catch((error: unknown) => (process.exitCode = report(error)));
