/** Deployment records as the platform shows them, and the one form that they are brought to. */
import { type Shaped, shape } from '@ecsm/runtime';
import { nodeOfService } from './service-shapes.ts';
import { maybe, maybeAnything, maybeNumber, maybeText, maybeTexts, textsOf } from './tolerant.ts';

const common = {
  /** A string in the vendor's table, a list in the vendor's example. */
  cmd: maybe(shape.either(shape.string(), shape.list(shape.nullable(shape.string())))),
  name: maybeText,
  createdTime: maybeText,
  image: maybeAnything,
  /** One of these two; the vendor's table and example disagree. */
  node: maybe(shape.object({ names: maybeTexts })),
  nodeList: maybe(shape.list(nodeOfService)),
};

export const recordRow = shape.object({ ...common, id: shape.string() });

export const recordDetail = shape.object({
  ...common,
  id: maybeText,
  action: maybe(shape.word('run', 'load')),
  config: maybe(shape.record(shape.anything())),
  vsoa: maybe(shape.record(shape.anything())),
  policy: maybe(shape.word('static', 'dynamic')),
  factor: maybeNumber,
});

/** What every record tells, whichever way the platform wrote it. */
interface Unified {
  readonly id: string;
  readonly command: readonly string[];
  readonly nodeNames: readonly string[];
}

/** One past deployment of a service: what `services().rollback` goes back to. */
export type DeploymentRecord = Omit<Shaped<typeof recordRow>, 'id'> & Unified;
export type DeploymentRecordDetail = Omit<Shaped<typeof recordDetail>, 'id'> & Unified;

export function unified<R extends Omit<Shaped<typeof recordRow>, 'id'>>(row: R, id: string): R & Unified {
  const { cmd, node, nodeList } = row;
  const fromList = (nodeList ?? []).map(({ nodeName }) => nodeName ?? null);
  return {
    ...row,
    id,
    command: typeof cmd === 'string' ? (cmd === '' ? [] : [cmd]) : textsOf(cmd),
    nodeNames: textsOf(node?.names ?? fromList),
  };
}
