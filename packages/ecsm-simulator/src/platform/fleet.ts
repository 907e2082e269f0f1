/** The initial nodes and images of a simulator. */

import type { Platform } from './contract.ts';
import type { OperatingSystem } from './model.ts';
import { drawFraction } from './random.ts';

const mebibyte = 1024 * 1024;

const images: readonly { name: string; tags: readonly string[]; os: OperatingSystem; description: string }[] = [
  { name: 'telemetry', tags: ['1.0.0', '1.1.0', '2.0.0'], os: 'sylixos', description: 'Collects and sends telemetry' },
  { name: 'camera', tags: ['1.0.0', '1.0.1'], os: 'sylixos', description: 'Records images' },
  { name: 'thermal', tags: ['1.0.0', '1.2.0'], os: 'sylixos', description: 'Controls the temperature' },
  { name: 'worker', tags: ['1.0.0', 'latest'], os: 'sylixos', description: 'Processes jobs' },
  { name: 'gateway', tags: ['1.0.0', '1.1.0'], os: 'linux', description: 'Communicates with the ground' },
  { name: 'nginx', tags: ['1.0.0'], os: 'linux', description: 'Serves pages' },
];

/** The port of real node agents. */
const agentPort = 1112;
/** Addresses are 10.x.y.z. */
const nodesMax = 255 * 255 * 254;

/**
 * Adds `node-1`, `node-2`, …, every fourth of them Linux and the others SylixOS, and some images of both. Image sizes
 * depend on the seed (default 1); everything else is fixed.
 */
export function seededFleet(platform: Platform, options: { readonly nodes: number; readonly seed?: number }): void {
  const seed = options.seed ?? 1;
  for (let number = 1; number <= Math.min(options.nodes, nodesMax); number++) {
    const type = number % 4 === 0 ? 'linux' : 'sylixos';
    platform.addNode({
      name: `node-${number}`,
      ip: `10.${Math.floor(number / 65_025) % 255}.${Math.floor(number / 255) % 255}.${(number % 255) + 1}`,
      port: agentPort,
      password: `password-${number}`,
      type,
      arch: type === 'linux' ? 'x86-64' : 'arm64',
    });
  }
  let draw = 0;
  for (const { name, tags, os, description } of images) {
    for (const tag of tags) {
      const sizeBytes = Math.round((2 + 30 * drawFraction(seed, ++draw)) * mebibyte);
      platform.pushImage({ name, tag, os, sizeBytes, author: 'admin', description });
    }
  }
}
