/**
 * Abort callbacks with one listener per signal. Many calls may share a signal, such as that of a shutdown, and Node.js
 * warns of a leak if a signal has more than ten listeners.
 */

interface Subscription {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const subscriptions = new WeakMap<AbortSignal, Subscription>();

/**
 * Calls back once when the signal aborts, immediately if it has. The returned function unsubscribes; it is idempotent.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const subscription = subscriptions.get(signal) ?? listen(signal);
  // A wrapper, because the same callback may be registered twice.
  const entry = () => callback();
  subscription.callbacks.add(entry);
  return () => {
    subscription.callbacks.delete(entry);
    // A late call must not remove a newer subscription of the same signal.
    if (subscription.callbacks.size > 0 || subscriptions.get(signal) !== subscription) return;
    subscriptions.delete(signal);
    signal.removeEventListener('abort', subscription.listener);
  };
}

function listen(signal: AbortSignal): Subscription {
  const callbacks = new Set<() => void>();
  const listener = () => {
    for (const callback of callbacks) callback();
  };
  const subscription = { callbacks, listener };
  subscriptions.set(signal, subscription);
  signal.addEventListener('abort', listener, { once: true });
  return subscription;
}
