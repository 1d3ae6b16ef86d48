import type { JSX } from 'preact';
import { Page } from '../parts/page.js';

export function Stock(): JSX.Element {
  return <Page title="Stock" />;
}
