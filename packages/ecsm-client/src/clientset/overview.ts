/** `/overview`: measurements of nodes over time, and the containers of a node. */
import { shape } from '@ecsm/runtime';
import type { RestClient } from '../rest/client.ts';
import { type CallOptions, fetchOne, withOptions } from './call.ts';
import { type NodeView, nodeView, type SampleRow, sampleRow } from './overview-shapes.ts';
import { isOn, numberOf } from './tolerant.ts';

export type NodeSample = SampleRow & {
  readonly cpuPercent?: number;
  readonly ramPercent?: number;
  readonly romPercent?: number;
};

/** A time span. The format is not documented; values are sent unchanged. */
export interface SampleSpan {
  readonly startTime?: string | number;
  readonly endTime?: string | number;
  readonly step?: string | number;
}

export class Overview {
  readonly #rest: RestClient;

  constructor(rest: RestClient) {
    this.#rest = rest;
  }

  /** One current sample, or the series of a span. */
  async nodeMetrics(
    nodeId: string,
    span: SampleSpan | undefined = undefined,
    options: CallOptions = {},
  ): Promise<readonly NodeSample[]> {
    const request = this.#rest
      .get()
      .resource('overview', 'node')
      .param('nodeId', nodeId)
      .param('instant', span === undefined)
      .param('startTime', span?.startTime)
      .param('endTime', span?.endTime)
      .param('step', span?.step)
      .kind('node', nodeId);
    const rows = await withOptions(request, options).do(shape.nullable(shape.list(sampleRow)));
    return (rows ?? []).map(sampleOf);
  }

  /** A node with its containers and their services. Throws `NotFound`, or `Rejected` with a platform-specific code. */
  async nodeView(nodeId: string, options: CallOptions = {}): Promise<NodeView> {
    const request = this.#rest.get().resource('overview', 'platform', 'node-view').name(nodeId, 'nodeId');
    const view = await fetchOne(withOptions(request, options), nodeView, 'node', nodeId);
    return { ...view, tls: isOn(view.tls) };
  }
}

function sampleOf(row: SampleRow): NodeSample {
  const cpuPercent = numberOf(row.cpu?.percent);
  const ramPercent = numberOf(row.ram?.percent);
  const romPercent = numberOf(row.rom?.percent);
  return {
    ...row,
    ...(cpuPercent !== undefined && { cpuPercent }),
    ...(ramPercent !== undefined && { ramPercent }),
    ...(romPercent !== undefined && { romPercent }),
  };
}
