/**
 * The configuration of a Linux container. Little of it is documented: fields that only a site knows are given in
 * `platformSpecific.linux` and sent as they are. There they win over what the rest of the template says, but for the
 * environment, which is put together: the mark has to be in it.
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
      // The form is a guess: it is that of SylixOS, as no other is known.
      mounts: mountsOf(template),
    }),
    ...own,
    env: mergeLines(linesOf(own['env']), environmentLines(template), mark),
  };
}
