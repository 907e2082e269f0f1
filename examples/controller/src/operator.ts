/**
 * The operator: keeps a database on the server for each `Database`, and a `Connection` that the object owns. `decide` is
 * pure. `observe` and `act` read and write. What lies between, such as the finalizer, crashes and retries, is `operate`.
 */
import {
  controllerReference,
  type Decision,
  eventPruner,
  formatFieldError,
  garbageCollector,
  generationChanged,
  isApiError,
  type Log,
  Manager,
  operate,
  ownedBy,
  type PlannedStep,
  type Registry,
  refused,
  setCondition,
  silentLog,
} from '@ecsm/runtime';
import { Connection, Database } from './kinds.ts';
import type { DatabaseServer, Found } from './server.ts';

type Status = NonNullable<Database['status']>;
type Facts = { readonly found: Found; readonly url: string | undefined };
type Step = PlannedStep &
  ({ readonly do: 'put'; readonly sizeGB: number } | { readonly do: 'drop' } | { readonly do: 'connect' });

/** Derived from the object, never random: after a crash, the next pass finds what the last one created. */
const urlOf = ({ metadata }: Database) => `db://server/${metadata.uid}`;

export function decide(database: Database, { found, url }: Facts, nowMs: number): Decision<Status, Step> {
  const { metadata, spec, status } = database;
  if (metadata.deletionTimestamp !== undefined) {
    const event = { type: 'Normal', reason: 'Dropped', message: 'Dropped the database' } as const;
    return found === 'dropped' ? { status, hold: false } : { status, steps: [{ do: 'drop', event }] };
  }
  const { sizeGB } = spec;
  if (typeof found !== 'object' || found.sizeGB !== sizeGB) {
    const event = { type: 'Normal', reason: 'Sized', message: `Set the size to ${sizeGB} GB` } as const;
    return { status, steps: [{ do: 'put', sizeGB, event }] };
  }
  if (url !== urlOf(database)) return { status, steps: [{ do: 'connect' }] };
  return { status: withReady(database, 'True', 'Available', `has ${sizeGB} GB`, nowMs) };
}

/** The status with the condition `Ready`, which keeps its time while it does not change: at rest nothing is written. */
function withReady(database: Database, is: 'True' | 'False', reason: string, message: string, nowMs: number): Status {
  const { metadata, status } = database;
  const condition = { type: 'Ready', status: is, reason, message, observedGeneration: metadata.generation };
  return { conditions: setCondition(status?.conditions ?? [], condition, new Date(nowMs).toISOString()) };
}

/** Tests pass another `decide`, to plant a defect. */
function databases(server: DatabaseServer, log: Log, decideOn: typeof decide) {
  return operate(
    {
      kind: Database,
      finalizer: 'example.io/database',
      triggers: [
        { name: 'spec', changes: [generationChanged] },
        { name: 'connection', watches: [{ kind: Connection, map: ownedBy(Database) }] },
        // The server does not report changes.
        { name: 'drift', every: () => 60_000 },
      ],
      observe: async (database, { registry, signal }): Promise<Facts> => ({
        found: await server.find(database.metadata.uid, signal),
        url: await ownUrl(database, registry),
      }),
      decide: decideOn,
      async act(step: Step, database, _facts, { registry, signal }) {
        const { name, namespace, uid } = database.metadata;
        if (step.do === 'drop') await server.drop(uid, signal);
        else if (step.do === 'connect') {
          const metadata = { name, namespace, ownerReferences: [controllerReference(database)] };
          const connection = { metadata, spec: { url: urlOf(database) } };
          await registry.resource(Connection).apply(connection, { manager: 'databases', force: true });
        } else {
          try {
            await server.put(uid, step.sizeGB, signal);
          } catch (error) {
            if (isApiError(error, 'BadRequest')) return refused(error.message);
            throw error;
          }
        }
        return 'done';
      },
      report(database, happened, nowMs) {
        if (happened.is === 'done' || happened.is === 'unknown') return undefined;
        const message = happened.is === 'invalid' ? happened.errors.map(formatFieldError).join('; ') : happened.message;
        const status = withReady(database, 'False', 'Refused', message, nowMs);
        return { status, events: [{ type: 'Warning', reason: 'Refused', message }] };
      },
    },
    { log },
  );
}

/** The address in the connection that this object owns. A former database of the same name may have left another one. */
async function ownUrl({ metadata }: Database, registry: Registry): Promise<string | undefined> {
  try {
    const found = await registry.resource(Connection).get(metadata.name, { namespace: metadata.namespace });
    return found.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) ? found.spec.url : undefined;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Everything that runs in the process. The garbage collector deletes the connections of deleted databases. */
export function program(registry: Registry, server: DatabaseServer, log: Log = silentLog, decideOn = decide): Manager {
  const manager = new Manager({ registry, log });
  return manager
    .add(databases(server, log, decideOn))
    .add(garbageCollector(log))
    .add(eventPruner({ log }));
}
