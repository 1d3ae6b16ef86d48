// Loaded into a process before its own code: its clock is wrong by CLOCK_SHIFT_MS.
const shift = Number(process.env.CLOCK_SHIFT_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  static now() {
    return RealDate.now() + shift;
  }

  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + shift);
    else super(...parts);
  }
};
