// The files of a worker share globals and modules: what a file has replaced must not reach the next one.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
