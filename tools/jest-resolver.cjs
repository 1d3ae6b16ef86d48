// TypeScript ESM writes "./x.js" for x.ts; this maps the imports of our own sources back.
module.exports = (request, options) => {
  if (/^\.{1,2}\/.*\.js$/.test(request) && !options.basedir.includes('/node_modules/')) {
    try {
      return options.defaultResolver(request.replace(/\.js$/, '.ts'), options);
    } catch {
      // a real .js file
    }
  }
  return options.defaultResolver(request, options);
};
