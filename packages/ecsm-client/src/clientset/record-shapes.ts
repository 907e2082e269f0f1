/** Shapes of deployment records in responses, and their normalization. */
import { type Shaped, shape } from '@ecsm/runtime';
import { nodeOfService } from './service-shapes.ts';
import { maybe, maybeAnything, maybeNumber, maybeText, maybeTexts, textsOf } from './tolerant.ts';

const common = {
  /** A string in the vendor's table, a list in the vendor's example. */
  cmd: maybe(shape.either(shape.string(), shape.list(shape.nullable(shape.string())))),
  name: maybeText,
  createdTime: maybeText,
  image: maybeAnything,
  /** One of these two; the vendor's table and example differ. */
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

/** Fields that the platform returns in several forms. */
interface NormalizedFields {
  readonly id: string;
  readonly command: readonly string[];
  readonly nodeNames: readonly string[];
}

/** One past deployment of a service; the target of `services().rollback`. */
export type DeploymentRecord = Omit<Shaped<typeof recordRow>, 'id'> & NormalizedFields;
export type DeploymentRecordDetail = Omit<Shaped<typeof recordDetail>, 'id'> & NormalizedFields;

export function normalizeRecord<R extends Omit<Shaped<typeof recordRow>, 'id'>>(
  row: R,
  id: string,
): R & NormalizedFields {
  const { cmd, node, nodeList } = row;
  const fromList = (nodeList ?? []).map(({ nodeName }) => nodeName ?? null);
  return {
    ...row,
    id,
    command: typeof cmd === 'string' ? (cmd === '' ? [] : [cmd]) : textsOf(cmd),
    nodeNames: textsOf(node?.names ?? fromList),
  };
}
