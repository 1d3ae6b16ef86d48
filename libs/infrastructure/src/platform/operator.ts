import { userInfo } from 'node:os';
import type { Actor } from '@app/domain';

/** Returns the account that runs the process. */
export function operator(): Actor {
  return { type: 'operator', id: '', name: accountName() };
}

/** A container may run as a user without a name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}
