import { existsSync } from 'node:fs';

/** Chromium, where it is installed: rather without windows, which take two thirds of its time. */
export const BROWSER = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
