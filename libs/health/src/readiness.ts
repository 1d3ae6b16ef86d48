/** False while the demo store is loaded, and from the beginning of the shutdown: the process is not ready then. */
export class Readiness {
  serving = true;
}
