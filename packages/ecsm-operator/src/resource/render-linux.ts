/**
 * The configuration of a Linux container. Little of it is documented: other fields are set in `platformSpecific.linux` and
 * sent unchanged. They override the rest of the template, except for the environment, which is merged because it contains
 * the owner mark.
 */
import type { DockerImageConfig } from '@ecsm/client';
import { shape } from '@ecsm/runtime';
import type { ServiceTemplate } from '../apis/ecsm-service.ts';
import { linesOf, mergeLines } from './environment.ts';
import { present } from './present.ts';
import { bytesOf, environmentLines, mountsOf } from './render-parts.ts';

export function renderLinux(template: ServiceTemplate, mark: readonly string[]): DockerImageConfig {
  const { linux } = template.platformSpecific;
  const own = shape.isObject(linux) ? linux : {};
  const memory = template.resources?.limits?.memory;
  return {
    ...present({
      hostname: template.hostname,
      cmd: template.command,
      memory: memory === undefined ? undefined : bytesOf(memory),
      // Not documented; the format of SylixOS is assumed.
      mounts: mountsOf(template),
    }),
    ...own,
    env: mergeLines(linesOf(own['env']), environmentLines(template), mark),
  };
}
