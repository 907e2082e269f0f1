/** Marks the failure of work as handled until its caller awaits it: an unhandled rejection would end the process. */
export function startInBackground<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}
