/**
 * Whether a call is for the control API, below `/sim`. Faults of the link do not affect it, so that they can be reset.
 */
export function isControl(target: string): boolean {
  return /^\/sim(?:[/?]|$)/.test(target);
}
