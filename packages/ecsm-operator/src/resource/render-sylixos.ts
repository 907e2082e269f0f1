/** The configuration of a SylixOS container. */
import type { EcsImageConfig, SylixosConfig, SylixosResources } from '@ecsm/client';
import type { ServiceTemplate } from '../apis/ecsm-service.ts';
import { osOf } from '../apis/image.ts';
import { mergeLines } from './environment.ts';
import { present, presentOrNone } from './present.ts';
import { bytesOf, environmentLines, mebibytesOf, mountsOf } from './render-parts.ts';

export function renderSylixos(template: ServiceTemplate, mark: readonly string[]): EcsImageConfig {
  const { platform, root } = template.platformSpecific;
  return present({
    platform: platform && present({ os: osOf(template), arch: platform.arch }),
    process: present({ args: template.command, env: mergeLines(environmentLines(template), mark) }),
    root: root && { path: root.path, readonly: root.readOnly },
    hostname: template.hostname,
    mounts: mountsOf(template),
    sylixos: sylixosOf(template),
  });
}

function sylixosOf(template: ServiceTemplate): SylixosConfig | undefined {
  const { devices, network, commands } = template.platformSpecific.sylixos ?? {};
  return presentOrNone({
    devices,
    resources: resourcesOf(template),
    network: network && present({ ftpdEnable: network.ftpd, telnetdEnable: network.telnetd, sshdEnable: network.sshd }),
    commands,
  });
}

function resourcesOf(template: ServiceTemplate): SylixosResources | undefined {
  const { cpu, memory, kernelObject } = template.platformSpecific.sylixos ?? {};
  const { memory: memoryLimit, disk } = template.resources?.limits ?? {};
  const { affinity, ...priorities } = cpu ?? {};
  return presentOrNone({
    affinity,
    cpu: presentOrNone(priorities),
    memory: presentOrNone({
      kheapLimit: memory?.kheapLimit,
      memoryLimitMB: memoryLimit === undefined ? undefined : mebibytesOf(bytesOf(memoryLimit)),
    }),
    disk: disk === undefined ? undefined : { limitMB: mebibytesOf(bytesOf(disk)) },
    kernelObject,
  });
}
