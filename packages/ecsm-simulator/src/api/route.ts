/** One route of the API. */
import type { JsonValue } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';
import type { Call } from './call.ts';
import type { Endpoint } from './router.ts';

export interface Route extends Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Section of the reference of the platform's API. */
  readonly section: string;
  /** The sources that show it, or `GUESS`. */
  readonly mark: string;
  /** Returns the `data` of the response. A thrown `Refusal` becomes an error response. */
  readonly handle: (call: Call) => JsonValue;
  /** Whether the route exists with a behaviour. Default: always. */
  readonly exists?: (behaviour: Behaviour) => boolean;
}
