import { visible } from '@app/infrastructure';

/** Shortens API keys and webhook secrets, and escapes what a terminal interprets or hides. */
export function printable(text: string): string {
  return visible(text.replace(/(svc_(?:live|test)_)\w+/gi, '$1…').replace(/(whsec_)[\w+/=]+/gi, '$1…'));
}
