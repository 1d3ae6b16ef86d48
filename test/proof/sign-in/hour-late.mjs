// This file is loaded before a process, and makes its clock an hour late. The database's clock alone decides about
// sign-ins and sessions.
const BEHIND_MS = 3_600_000;
const Real = Date;

globalThis.Date = class extends Real {
  constructor(...parts) {
    if (parts.length === 0) super(Real.now() - BEHIND_MS);
    else super(...parts);
  }

  static now() {
    return Real.now() - BEHIND_MS;
  }
};
