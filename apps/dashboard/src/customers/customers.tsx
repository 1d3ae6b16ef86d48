import type { JSX } from 'preact';
import { Page } from '../parts/page.js';

export function Customers(): JSX.Element {
  return <Page title="Customers" />;
}
