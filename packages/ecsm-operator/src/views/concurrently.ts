/** Calls for many things, with a limit of their own: the reconciles of the operator share the link. */

const inFlightMax = 2;

/** Calls `act` for each item, a few at a time. After a failure no further call is started. */
export async function eachOf<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  let hasFailed = false;
  const worker = async () => {
    for (const item of left) {
      if (hasFailed) return;
      try {
        await act(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: inFlightMax }, worker));
}
