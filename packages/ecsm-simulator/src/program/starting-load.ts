/** Services that are deployed at the start, for scale tests. */
import type { Platform } from '../platform/contract.ts';
import type { Image, ImageSpec, ServiceSpec } from '../platform/model.ts';
import { Refusal } from '../platform/refusal.ts';

/** Small, so that a few nodes can run many services. */
const memoryLimitMB = 16;
const instances = 3;
/** Maximum number of nodes per service. */
const nodesMax = 5;

/**
 * Deploys `count` dynamic services of three instances: `load-1`, `load-2`, …, each on a few nodes with the operating
 * system of its image. Returns how many were deployed: a platform may refuse services that do not fit on its nodes.
 */
export function deployServices(platform: Platform, count: number): number {
  const choices = platform.images('local').flatMap((image) => {
    const nodeNames = platform.nodes().flatMap(({ name, type }) => (type === image.os ? [name] : []));
    return nodeNames.length === 0 ? [] : [{ image, nodeNames }];
  });
  let deployed = 0;
  for (let number = 1; number <= count; number++) {
    const choice = choices[number % choices.length];
    if (!choice) break;
    const spec: ServiceSpec = {
      name: `load-${number}`,
      image: imageSpec(choice.image),
      nodeNames: selectNodes(choice.nodeNames, number),
      factor: instances,
      policy: 'dynamic',
      prepull: false,
    };
    if (isAccepted(platform, spec)) deployed++;
  }
  return deployed;
}

function isAccepted(platform: Platform, spec: ServiceSpec): boolean {
  try {
    platform.createService(spec);
    return true;
  } catch (error) {
    if (error instanceof Refusal && (error.why === 'nodeMemory' || error.why === 'nodeDisk')) return false;
    throw error;
  }
}

/** Selects nodes evenly. */
function selectNodes(names: readonly string[], number: number): readonly string[] {
  const first = (number * nodesMax) % names.length;
  return [...names.slice(first), ...names.slice(0, first)].slice(0, nodesMax);
}

function imageSpec({ name, tag, os }: Image): ImageSpec {
  return {
    ref: `${name}@${tag}#${os}`,
    action: 'run',
    config: os === 'linux' ? { memory: memoryLimitMB * 1024 * 1024 } : sylixos,
    pullPolicy: 'IfNotPresent',
    autoUpgrade: 'Never',
  };
}

const sylixos = { sylixos: { resources: { memory: { memoryLimitMB }, disk: { limitMB: memoryLimitMB } } } };
