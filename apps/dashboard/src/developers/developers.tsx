import type { JSX } from 'preact';
import { Page } from '../parts/page.js';

export function Developers(): JSX.Element {
  return <Page title="Developers" />;
}
