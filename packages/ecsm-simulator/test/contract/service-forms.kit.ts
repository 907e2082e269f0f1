/** Services and their records on the wire, from sections 2 and 3 of the reference. */
import type { Behaviour } from '../../src/platform/behaviour.ts';
import { nodeOfService, serviceTime } from './common-forms.kit.ts';
import { exactly, type Form, list, listOrNone, object, words } from './form.kit.ts';
import { workerBody } from './worker.kit.ts';

/** Section 2.15 documents two; the third is what one client expected after a stop. */
function common(behaviour: Behaviour): Readonly<Record<string, Form>> {
  const stopped = behaviour.stoppedStatus === 'stopped' ? ['stopped'] : [];
  return {
    id: 'uuid',
    name: 'text',
    status: words('deploying', 'complete', ...stopped),
    createdTime: serviceTime(behaviour),
    updatedTime: serviceTime(behaviour),
    factor: 'count',
    policy: words('static', 'dynamic'),
    nodeList: list(nodeOfService),
    containerStatusGroup: listOrNone(words('created', 'running', 'exited', 'paused')),
    instanceOnline: 'count',
    instanceActive: 'count',
  };
}

/** Section 2.2. */
export function serviceRow(behaviour: Behaviour): Form {
  return object({
    ...common(behaviour),
    imageList: list(object({ name: 'text', tag: 'text', os: words('linux', 'sylixos') })),
    errorInstance: listOrNone(
      object({
        containerId: 'id',
        nodeId: 'uuid',
        nodeName: 'text',
        status: behaviour.errorInstanceStatus === 'string' ? words('true', 'false') : 'boolean',
        message: 'text',
      }),
    ),
    defaultLabels: listOrNone('anything'),
    pathLabel: 'text',
  });
}

/**
 * Section 2.3, of the service that the tests deploy: its image comes back as it was sent, so that it can be sent again.
 */
export function workerDetail(behaviour: Behaviour): Form {
  return object({
    ...common(behaviour),
    healthy: 'boolean',
    image: exactly(workerBody.image),
    node: exactly(workerBody.node),
  });
}

/** Sections 2.1 and 2.4: the containers are ids of their tasks. */
export const written = object({ id: 'uuid', containers: list('uuid') });

/** Section 2.6: disputed. */
export function ids({ batchAnswer }: Behaviour, ...expected: readonly string[]): Form {
  return exactly(batchAnswer === 'array' ? expected : { ids: expected });
}

/** Section 3. */
export function recordRow(behaviour: Behaviour): Form {
  return object({
    id: 'uuid',
    name: 'text',
    cmd: 'text',
    createdTime: serviceTime(behaviour),
    image: 'imageRef',
    node: object({ names: list('text') }),
  });
}

/** Section 3: for `cmd` and the nodes, the vendor's table and example disagree. */
export function workerRecord(behaviour: Behaviour): Form {
  const { image, policy, factor, node } = workerBody;
  const nodes: Readonly<Record<string, Form>> =
    behaviour.recordNodes === 'node' ? { node: exactly(node) } : { nodeList: list(nodeOfService) };
  return object({
    action: exactly(image.action),
    cmd: behaviour.recordCommand === 'array' ? exactly(image.config.process.args) : exactly('/apps/worker -v'),
    config: exactly(image.config),
    name: exactly('worker'),
    vsoa: exactly(image.vsoa),
    ...nodes,
    image: object({
      id: 'uuid',
      ref: exactly(image.ref),
      path: 'text',
      pullPolicy: exactly(image.pullPolicy),
      autoUpgrade: exactly(image.autoUpgrade),
    }),
    createdTime: serviceTime(behaviour),
    policy: exactly(policy),
    factor: exactly(factor),
  });
}
