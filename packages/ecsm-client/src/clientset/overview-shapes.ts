/** Shapes of the platform's overview in responses. Its container statuses differ from those of `/container`. */
import { type Shaped, shape } from '@ecsm/runtime';
import { maybe, maybeFlag, maybeNumber, maybeText } from './tolerant.ts';

const percent = shape.object({ percent: maybeNumber });
const share = shape.object({ percent: maybeNumber, size: maybeNumber });
const net = maybe(shape.list(shape.object({ networkName: maybeText, value: maybeNumber })));

export const sampleRow = shape.object({
  timestamp: maybe(shape.either(shape.number(), shape.string())),
  type: maybeText,
  /** Percentages are text; some sources show numbers. */
  cpu: maybe(percent),
  /** Disk; its size is in MB. */
  rom: maybe(share),
  /** Memory; its size is in bytes. */
  ram: maybe(share),
  processCount: maybeNumber,
  process: maybe(shape.list(shape.object({ name: maybeText, cpu: maybe(percent), ram: maybe(share) }))),
  upNet: net,
  downNet: net,
  upTime: maybeNumber,
  /** Number of containers, like `stop`. */
  running: maybeNumber,
  stop: maybeNumber,
});
export type SampleRow = Shaped<typeof sampleRow>;

export const nodeView = shape.object({
  id: shape.string(),
  name: shape.string(),
  status: maybe(shape.word('online', 'offline')),
  ip: maybeText,
  port: maybeNumber,
  type: maybeText,
  arch: maybeText,
  tls: maybeFlag,
  children: maybe(
    shape.list(
      shape.object({
        id: maybeText,
        name: maybeText,
        node_id: maybeText,
        pro_id: maybeText,
        type: maybeText,
        status: maybe(shape.word('running', 'stop')),
        /** JSON text. It may contain passwords. */
        config: maybeText,
        children: maybe(
          shape.list(
            shape.object({
              id: maybeText,
              name: maybeText,
              type: maybeText,
              status: maybe(shape.word('complete', 'deploying')),
              health: maybe(shape.either(shape.boolean(), shape.number(), shape.string())),
            }),
          ),
        ),
      }),
    ),
  ),
});
export type NodeView = Omit<Shaped<typeof nodeView>, 'tls'> & { readonly tls: boolean };
