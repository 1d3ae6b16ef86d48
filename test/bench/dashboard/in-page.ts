// Expressions that Chromium evaluates in the page.

/** Runs before the page: `usable` gives the milliseconds until rows and the search field are painted. */
export const WHEN_USABLE = `
  globalThis.usable = new Promise((done) => {
    const look = () => {
      const isUsable = document.querySelector('[data-row]') && document.querySelector('#search:enabled');
      // The task after a frame runs when the frame is painted.
      requestAnimationFrame(isUsable ? () => setTimeout(() => done(performance.now())) : look);
    };
    look();
  });`;

/**
 * Hides the tab. Chromium without a screen considers every tab visible, and its timers continue, so a hidden tab sends
 * more requests here than elsewhere.
 */
export const HIDE = `
  Object.defineProperties(document, { hidden: { value: true }, visibilityState: { value: 'hidden' } });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`;

/**
 * Measures the longest frame of each page of the list, in milliseconds: it is scrolled from top to bottom, then turned.
 */
export const scrollPages = (pages: number): string => `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const firstRow = () => document.querySelector('[data-row] a').textContent;
  const longest = [];
  let last = await frame();
  for (let page = 0; page < ${pages}; page++) {
    let worst = 0;
    const next = async () => {
      const now = await frame();
      worst = Math.max(worst, now - last);
      last = now;
    };
    const root = document.scrollingElement;
    for (root.scrollTop = 0; root.scrollTop + innerHeight + 1 < root.scrollHeight; await next()) root.scrollTop += 100;
    const first = firstRow();
    document.querySelector('.pages [rel=next]').click();
    do await next();
    while (firstRow() === first);
    await next();
    longest.push(worst);
  }
  return longest;
})()`;
