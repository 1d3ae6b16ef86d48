import type { Locator, Page } from 'playwright-core';

const MAX_TABS = 150;
const TRIES = 4;

/** Operates the page by keyboard only. */
export class Hands {
  constructor(readonly page: Page) {}

  press(...keys: string[]): Promise<void> {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  async reach(target: Locator): Promise<void> {
    await target.waitFor();
    for (let n = 0; n < MAX_TABS; n++) {
      if ((await target.and(this.page.locator(':focus')).count()) > 0) return;
      await this.press('Tab');
    }
    throw new Error(`Tab does not reach ${String(target)}`);
  }

  /** @param name the label of a button with a dialog. */
  async ask(name: string, within: Page | Locator = this.page): Promise<void> {
    await this.reach(within.getByRole('button', { name, exact: within === this.page }));
    await this.press('Enter');
    await this.page.locator('dialog[open] :focus').waitFor();
  }

  /** Submits again when a request without a key got no answer, as a person would. */
  async enter(expected: Locator): Promise<void> {
    const failure = this.page.getByRole('alert').or(this.page.getByText('The service did not answer.'));
    for (let tries = 1; ; tries++) {
      await this.press('Enter');
      await expected.or(failure).first().waitFor();
      if (tries === TRIES || (await expected.count()) > 0) return expected.waitFor();
    }
  }
}
