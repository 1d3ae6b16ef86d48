import { existsSync } from 'node:fs';

/** Chromium, if installed: preferably the one without windows, which takes less CPU time. */
export const BROWSER = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));
