/** Units of sizes in responses. */

/** MiB, rounded to two decimals. */
export function megabytes(bytes: number): number {
  return Math.round((bytes / 2 ** 20) * 100) / 100;
}
