import type { JSX } from 'preact';
import { Page } from '../parts/page.js';

export function Products(): JSX.Element {
  return <Page title="Products" />;
}
