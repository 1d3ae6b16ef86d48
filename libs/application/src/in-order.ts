/**
 * Waits for steps that were begun one after the other, each on the condition that those before it succeed.
 *
 * @param steps null = left out.
 * @throws what the first that failed threw: the others only failed because it did.
 */
export async function inOrder(steps: readonly (Promise<unknown> | null)[]): Promise<void> {
  const begun = steps.filter((step) => step !== null);
  for (const outcome of await Promise.allSettled(begun)) if (outcome.status === 'rejected') throw outcome.reason;
}
