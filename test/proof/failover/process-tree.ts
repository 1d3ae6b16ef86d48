import { readdirSync, readFileSync } from 'node:fs';

/** The process and those that it started, parents first. Empty when the process is gone. */
export function treeOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  let exists = false;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(Number(name));
    if (parent === null) continue;
    exists ||= Number(name) === pid;
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = exists ? [pid] : [];
  for (const one of found) found.push(...(children.get(one) ?? []));
  return found;
}

/** Parents first: a parent that is stopped starts no further child. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  for (const one of treeOf(pid)) signalOne(one, signal);
}

/** @returns whether the process was there. */
export function signalOne(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** `null` when the process is gone, or a zombie. */
function parentOf(pid: number): number | null {
  try {
    // The name, in brackets, may contain spaces.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return state === 'Z' ? null : Number(parent);
  } catch {
    return null;
  }
}
