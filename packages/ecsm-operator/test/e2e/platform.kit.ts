/** A simulated platform in another process, read and changed by its control API over HTTP. */
import { type Shape, type Shaped, shape } from '@ecsm/runtime';

const { boolean, integer, list, nullable, number, object, optional, record, string } = shape;

const serviceShape = object({
  id: string(),
  name: string(),
  factor: integer(),
  policy: string(),
  nodeNames: list(string()),
  image: object({ ref: string(), config: shape.anything() }),
});

const containerShape = object({
  name: string(),
  serviceId: string(),
  imageRef: string(),
  status: nullable(string()),
  deployStatus: string(),
});

const stateShape = object({
  state: object({ nowMs: number(), services: record(serviceShape), containers: record(containerShape) }),
});

const callShape = object({
  number: integer(),
  timeMs: number(),
  method: string(),
  target: string(),
  endpoint: string(),
  fate: string(),
  code: nullable(integer()),
  request: string(),
});

const journalShape = object({ entries: list(callShape), last: integer(), ok: optional(boolean()) });

type PlatformService = Shaped<typeof serviceShape>;
type PlatformContainer = Shaped<typeof containerShape>;
type Call = Shaped<typeof callShape>;

/** The state of the platform at one time. */
interface PlatformState {
  readonly services: readonly PlatformService[];
  /** Sorted by name. */
  readonly containers: readonly PlatformContainer[];
}

const responseMsMax = 60_000;
const entriesMax = 10_000;

export class PlatformControl {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async state(): Promise<PlatformState> {
    const { state } = await this.#request('GET', '/sim/state', stateShape);
    const containers = Object.values(state.containers);
    return {
      services: Object.values(state.services),
      containers: containers.sort((one, other) => (one.name < other.name ? -1 : 1)),
    };
  }

  async running(): Promise<number> {
    return (await this.state()).containers.filter(isRunning).length;
  }

  /** Completed calls, the oldest first. Calls in flight are not included. */
  async calls(after = 0): Promise<readonly Call[]> {
    const { entries } = await this.#request('GET', `/sim/journal?after=${after}&limit=${entriesMax}`, journalShape);
    return entries;
  }

  /** Calls that may have changed something. */
  async changes(after = 0): Promise<readonly Call[]> {
    return (await this.calls(after)).filter(({ method }) => method !== 'GET');
  }

  /** For `/sim/services/telemetry/stop` and others. Throws the error of the simulator. */
  async control(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<void> {
    await this.#request(method, path, object({}), body);
  }

  async #request<T>(method: string, path: string, expected: Shape<T>, body?: object): Promise<T> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      signal: AbortSignal.timeout(responseMsMax),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const value: unknown = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return checked(expected, value, path);
  }
}

function checked<T>(expected: Shape<T>, value: unknown, root: string): T {
  const problem = shape.complaint(expected, value, root);
  if (problem !== undefined) throw new Error(problem);
  // The shape was checked above.
  return value as T;
}

export function isRunning({ status }: Pick<PlatformContainer, 'status'>): boolean {
  return status === 'running';
}

/** Names of the created services, including those whose response was lost. */
export function createdNames(calls: readonly Call[]): readonly string[] {
  return calls
    .filter(({ endpoint, code }) => endpoint === 'POST /service' && code === 200)
    .map(({ request }) => /^\{"name":"([^"]+)"/u.exec(request)?.[1] ?? `unreadable: ${request}`);
}
