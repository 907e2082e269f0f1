/** Services that are there from the start, for tests of scale. */
import type { Platform } from '../platform/contract.ts';
import type { Image, ImageSpec } from '../platform/model.ts';

/** Small enough that a small fleet can hold many: megabytes. */
const memoryLimitMB = 16;
const instances = 3;
/** A service of a large fleet lives on a few of its nodes. */
const nodesMax = 5;

/** Deploys `count` dynamic services of three instances: `load-1`, `load-2`, …, each on a few nodes that suit its image. */
export function deployServices(platform: Platform, count: number): void {
  const choices = platform.images('local').flatMap((image) => {
    const nodeNames = platform.nodes().flatMap(({ name, type }) => (type === image.os ? [name] : []));
    return nodeNames.length === 0 ? [] : [{ image, nodeNames }];
  });
  for (let number = 1; number <= count; number++) {
    const choice = choices[number % choices.length];
    if (!choice) return;
    platform.createService({
      name: `load-${number}`,
      image: imageSpec(choice.image),
      nodeNames: some(choice.nodeNames, number),
      factor: instances,
      policy: 'dynamic',
      prepull: false,
    });
  }
}

/** Every node comes up equally often. */
function some(names: readonly string[], number: number): readonly string[] {
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
