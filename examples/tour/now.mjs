/** Milliseconds of the monotonic clock, which all processes of a machine share. */
export function nowMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}
