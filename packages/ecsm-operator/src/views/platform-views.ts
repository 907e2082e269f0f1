/** The views of the platform as Kubernetes' objects: Node and its Lease, Pod, NodeMetrics and PodMetrics, read-only. */
import { collect, type Ecsm } from '@ecsm/client';
import { type ApiError, type ApiObject, type Clock, type Kind, Lease, type Log } from '@ecsm/runtime';
import { nodeLeaseNamespace } from '../apis/well-known.ts';
import type { Observation } from './facts.ts';
import { nodeMetricsOf, podMetricsOf } from './metrics.ts';
import { NodeMetrics, PodMetrics } from './metrics-kinds.ts';
import { nodeOf } from './node.ts';
import { Node, type NodeStatus } from './node-kind.ts';
import { type LeaseSpec, nodeLeaseOf } from './node-lease.ts';
import { basicRows, NodeReader } from './node-reader.ts';
import { Owners, type OwnersOptions } from './owners.ts';
import { instancesOf, podOf } from './pod.ts';
import { Pod, type PodStatus } from './pod-kind.ts';
import { type Reading, Source } from './source.ts';
import { listMs, type ReadOnlyResource, View } from './view.ts';

/** A kind that an API server can serve beside those of a registry. */
export interface ViewTarget<Spec = unknown, Status = unknown> {
  readonly kind: Kind<Spec, Status>;
  readonly resource: ReadOnlyResource<Spec, Status>;
  /** Of a kind that the registry has in all other namespaces. */
  readonly namespace?: string;
}

export interface PlatformViewsOptions extends OwnersOptions {
  readonly ecsm: Ecsm;
  /** Why the link to the platform failed; undefined while it works. */
  readonly linkFailure: () => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Node, Pod, NodeMetrics, PodMetrics, Lease of a node. `NodeMetrics.fieldsOf` and `PodMetrics.fieldsOf` return the content of metrics. */
export type PlatformViews = readonly [
  ViewTarget<Node['spec'], NodeStatus>,
  ViewTarget<Pod['spec'], PodStatus>,
  ViewTarget<undefined, undefined>,
  ViewTarget<undefined, undefined>,
  ViewTarget<LeaseSpec, unknown>,
];

/** Nothing is read before the first call of one of the resources. */
export function platformViews(options: PlatformViewsOptions): PlatformViews {
  const { ecsm, clock, log } = options;
  const nodeRows = new Source(clock, basicRows(ecsm));
  // The error of a call contains when the link is probed next, which is outdated soon.
  const reasonOf = ({ message }: ApiError) => options.linkFailure() ?? message;
  const nodeReader = new NodeReader(ecsm, clock, nodeRows);
  const nodes = new Source(clock, () => nodeReader.read(), reasonOf);
  const owners = new Owners(options);
  const readInstances = async () => {
    const ids = (await nodeRows.fresh(listMs)).map(({ id }) => id);
    const rows = await collect(ecsm.containers().ofNodes(ids));
    const marks = await owners.of(rows);
    return instancesOf(rows, (serviceId) => marks.get(serviceId));
  };
  const instances = new Source(clock, readInstances, reasonOf);
  const createdMsDefault = clock.now();
  const view = <Spec, Status, Fact>(
    kind: Kind<Spec, Status>,
    source: Source<readonly Fact[]>,
    convert: (fact: Fact, observation: Observation) => ApiObject<Spec, Status> | undefined,
  ): ViewTarget<Spec, Status> => {
    const convertAll = ({ data, ...read }: Reading<readonly Fact[]>) => {
      const observation = { ...read, createdMsDefault, timeOf: (text: string | null | undefined) => ecsm.timeOf(text) };
      return data.flatMap((fact) => convert(fact, observation) ?? []);
    };
    return { kind, resource: new View({ kind, source, convert: convertAll, clock, log }) };
  };
  return [
    view(Node, nodes, nodeOf),
    view(Pod, instances, podOf),
    view(NodeMetrics, nodes, nodeMetricsOf),
    view(PodMetrics, instances, podMetricsOf),
    { ...view(Lease, nodes, nodeLeaseOf), namespace: nodeLeaseNamespace },
  ];
}
