/** One call that the API knows: where it is, where it is described, and what it does. */
import type { JsonValue } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';
import type { Call } from './call.ts';
import type { Endpoint } from './router.ts';

export interface Route extends Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Of the reference of the platform's API. */
  readonly section: string;
  /** How sure the reference is of it: where it was seen, or `GUESS`. */
  readonly mark: string;
  /** The `data` of the answer. A `Refusal` that it throws becomes a failure. */
  readonly handle: (call: Call) => JsonValue;
  /** A call that exists only with some behaviours; default: with all. */
  readonly exists?: (behaviour: Behaviour) => boolean;
}
