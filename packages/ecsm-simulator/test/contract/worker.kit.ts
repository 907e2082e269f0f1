/** The service that most tests deploy: the example of the reference, with every documented field. */
import type { ServiceBody } from '@ecsm/client';

export const workerBody = {
  name: 'worker',
  image: {
    ref: 'worker@1.0.0#sylixos',
    action: 'run',
    pullPolicy: 'IfNotPresent',
    autoUpgrade: 'Never',
    config: {
      platform: { os: 'sylixos', arch: 'arm64' },
      process: { args: ['/apps/worker', '-v'], env: ['A=b'], cwd: '/' },
      root: { path: 'rootfs', readonly: false },
      hostname: 'sylixos_ecs',
      mounts: [{ destination: '/etc/lic', source: '/etc/lic', options: ['ro'] }],
      sylixos: {
        devices: [],
        resources: {
          cpu: { highestPrio: 160, lowestPrio: 250, defaultPrio: 200 },
          memory: { kheapLimit: 2_097_152, memoryLimitMB: 64 },
          disk: { limitMB: 64 },
          kernelObject: { threadLimit: 4096 },
        },
        network: { ftpdEnable: true, telnetdEnable: true },
        commands: ['ps', 'ls'],
      },
    },
    vsoa: {
      port: 0,
      password: 'x',
      healthPath: '/health',
      healthTimeout: 3000,
      healthRetries: 3,
      healthStartPeriod: 5000,
      healthInterval: 5000,
      livenessProbe: false,
    },
  },
  node: { names: ['node-1', 'node-2'] },
  policy: 'dynamic',
  factor: 2,
  prepull: false,
} as const satisfies ServiceBody;

/** One instance of a Linux image on the Linux node. */
export const gatewayBody = {
  name: 'gateway',
  image: { ref: 'gateway@1.0.0#linux', action: 'run', config: { hostname: 'auto', restart: 'no', memory: 0 } },
  node: { names: ['node-4'] },
  policy: 'static',
} as const satisfies ServiceBody;
