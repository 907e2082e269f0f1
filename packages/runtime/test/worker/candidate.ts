/**
 * A candidate of an election. While it leads it repeatedly writes a counter, with the epoch of its fence, and
 * prints what was accepted or refused. Usage: candidate <registry URL> <identity> <lease ms>
 */
import {
  defineKind,
  isApiError,
  LeaderElection,
  Lease,
  Manager,
  openRegistry,
  schema,
  sleep,
  untilSignal,
} from '@ecsm/runtime';
import { print } from './print.ts';

export interface Said {
  readonly says: 'leads' | 'stops' | 'wrote' | 'refused';
  readonly identity: string;
  readonly revision?: number;
  readonly code?: string;
}

export const Tally = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Tally',
  plural: 'tallies',
  spec: schema.object({ by: schema.string(), count: schema.integer() }),
  status: schema.object({}),
  columns: [],
});

const [url = '', identity = '', lease = '0'] = process.argv.slice(2);
const leaseMs = Number(lease);
const registry = await openRegistry(url, { kinds: [Lease, Tally] });
const election = new LeaderElection({
  registry,
  name: 'candidates',
  identity,
  leaseMs,
  renewDeadlineMs: leaseMs * 0.66,
  retryMs: leaseMs / 8,
});
const manager = new Manager({ registry, election });
manager.add({
  name: 'writer',
  async run({ registry: own, signal }) {
    print({ says: 'leads', identity });
    // Continues for a while after it lost the lead, as a reconcile in flight may. Only the fence stops that.
    let deafFor = 20;
    for (let count = 0; !signal.aborted || deafFor-- > 0; count++) {
      try {
        const { object } = await own
          .resource(Tally)
          .apply({ metadata: { name: 'tally' }, spec: { by: identity, count } });
        print({ says: 'wrote', identity, revision: Number(object.metadata.resourceVersion) });
      } catch (error) {
        print({ says: 'refused', identity, code: isApiError(error) ? error.code : String(error) });
      }
      await sleep(own.clock, 10);
    }
    print({ says: 'stops', identity });
  },
});
print({ ready: true });
await untilSignal((signal) => manager.run({ signal }));
await registry.close();
