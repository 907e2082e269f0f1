/**
 * Any number of calls may share one signal: that of a shutdown, say. Node.js takes more than ten listeners on a signal
 * for a leak and warns, so all calls together have one.
 */

interface Listening {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const listeningTo = new WeakMap<AbortSignal, Listening>();

/** Calls back once when the signal aborts, at once if it has. The returned function lets go, and is safe to call twice. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const listening = listeningTo.get(signal) ?? listen(signal);
  // A function of its own, should the same one be given twice.
  const entry = () => callback();
  listening.callbacks.add(entry);
  return () => {
    listening.callbacks.delete(entry);
    // Somebody who lets go late must not end what others started anew.
    if (listening.callbacks.size > 0 || listeningTo.get(signal) !== listening) return;
    listeningTo.delete(signal);
    signal.removeEventListener('abort', listening.listener);
  };
}

function listen(signal: AbortSignal): Listening {
  const callbacks = new Set<() => void>();
  const listener = () => {
    for (const callback of callbacks) callback();
  };
  const listening = { callbacks, listener };
  listeningTo.set(signal, listening);
  signal.addEventListener('abort', listener, { once: true });
  return listening;
}
