const STREAMS = [process.stdin, process.stdout, process.stderr];

/** The work sees a terminal at each standard stream, or none, wherever the tests run. */
export async function withTerminal<T>(isTerminal: boolean, work: () => T | Promise<T>): Promise<T> {
  const before = STREAMS.map(({ isTTY }) => isTTY);
  STREAMS.forEach((stream) => (stream.isTTY = isTerminal));
  try {
    return await work();
  } finally {
    STREAMS.forEach((stream, index) => (stream.isTTY = before[index] ?? false));
  }
}
