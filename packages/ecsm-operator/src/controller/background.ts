/** Work that goes on beside something else. Whoever waits for it later hears of its failure; until then nobody has to. */
export function begun<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
