#!/usr/bin/env node
import 'reflect-metadata';
import { report } from './failures.js';
import { createProgram } from './program.js';

// A top-level await is impossible, because the bundle is a script.
createProgram()
  .parseAsync()
  .catch((error: unknown) => (process.exitCode = report(error)));
