import type { JSX } from 'preact';
import { Page } from '../parts/page.js';

export function Team(): JSX.Element {
  return <Page title="Team" />;
}
