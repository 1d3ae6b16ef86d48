/** An expression for `page.evaluate`: visible texts below the contrast of WCAG AA, 4.5, or 3 for large letters. */
export const FAINT_TEXTS = `(() => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => known.get(colour) ?? read(colour);
  const read = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    known.set(colour, { rgb: [r, g, b], alpha: a / 255 });
    return known.get(colour);
  };
  const over = ({ rgb, alpha }, below) => rgb.map((value, i) => value * alpha + below[i] * (1 - alpha));
  // Asked once of each element: a page has thousands of texts below the same few.
  const once = (read, ofRoot, known = new Map([[null, ofRoot]])) => (element) => {
    if (!known.has(element)) known.set(element, read(element));
    return known.get(element);
  };
  const behind = once(
    (element) => over(rgba(getComputedStyle(element).backgroundColor), behind(element.parentElement)),
    rgba('Canvas').rgb,
  );
  const opacity = once((element) => Number(getComputedStyle(element).opacity) * opacity(element.parentElement), 1);
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((value) => (value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (element) => {
    const background = behind(element);
    const { rgb, alpha } = rgba(getComputedStyle(element).color);
    const text = over({ rgb, alpha: alpha * opacity(element) }, background);
    const [dark, light] = [luminance(background), luminance(text)].sort((one, other) => one - other);
    return (light + 0.05) / (dark + 0.05);
  };
  const isLarge = ({ fontSize, fontWeight }) => parseFloat(fontSize) >= (Number(fontWeight) >= 700 ? 18.66 : 24);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faint = new Set();
  while (texts.nextNode()) {
    const text = texts.currentNode.textContent.trim();
    const element = texts.currentNode.parentElement;
    if (text === '' || !element.checkVisibility() || element.closest('script, style, option')) continue;
    const found = contrast(element);
    if (found < (isLarge(getComputedStyle(element)) ? 3 : 4.5))
      faint.add(found.toFixed(1) + ' ' + element.tagName.toLowerCase() + '.' + element.className + ': ' + text.slice(0, 40));
  }
  return [...faint];
})()`;
