/** Services to test with: a small one, and the full example of the design. */
import type { ECSMServiceInput } from './ecsm-service.ts';

export function smallService(spec: Partial<ECSMServiceInput['spec']> = {}): ECSMServiceInput {
  return {
    metadata: { name: 'worker' },
    spec: {
      deploymentStrategy: { type: 'Dynamic', replicas: 2, nodePool: ['node-1', 'node-2'] },
      template: { image: 'worker@1.0.0' },
      ...spec,
    },
  };
}

export const fullService = {
  apiVersion: 'ecsm.sh/v1',
  kind: 'ECSMService',
  metadata: { name: 'telemetry', namespace: 'default' },
  spec: {
    deploymentStrategy: { type: 'Dynamic', replicas: 3, nodePool: ['node-1', 'node-2', 'node-3'] },
    upgradeStrategy: { type: 'Never' },
    updateStrategy: {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 1, maxSurge: 1 },
      progressDeadlineSeconds: 600,
    },
    paused: false,
    revisionHistoryLimit: 10,
    template: {
      image: 'telemetry@1.0.0#sylixos',
      imagePullPolicy: 'IfNotPresent',
      prepull: false,
      hostname: 'telemetry',
      command: ['/apps/telemetry'],
      env: [{ name: 'RATE', value: '10' }],
      resources: { limits: { memory: '512Mi', disk: '1Gi' } },
      volumeMounts: [{ name: 'lic', hostPath: '/etc/lic', containerPath: '/etc/lic', readOnly: true }],
      vsoa: {
        port: 0,
        password: 'hunter2',
        healthCheck: {
          path: '/health',
          initialDelaySeconds: 5,
          timeoutSeconds: 3,
          periodSeconds: 5,
          failureThreshold: 3,
        },
      },
      platformSpecific: {
        action: 'Run',
        root: { path: 'rootfs', readOnly: false },
        platform: { os: 'sylixos', arch: 'arm64' },
        sylixos: {
          devices: [],
          network: { ftpd: false, telnetd: false },
          cpu: { highestPrio: 160, lowestPrio: 250 },
          memory: { kheapLimit: 2_097_152 },
          commands: [],
          kernelObject: { threadLimit: 4096 },
        },
      },
    },
  },
} as const satisfies ECSMServiceInput;

const { template } = fullService.spec;

/** With every field that a template may have, on each system. */
export const wholeServices: Record<string, ECSMServiceInput> = {
  SylixOS: {
    ...fullService,
    spec: {
      ...fullService.spec,
      template: {
        ...template,
        vsoa: { ...template.vsoa, port: 4001 },
        platformSpecific: {
          ...template.platformSpecific,
          sylixos: {
            ...template.platformSpecific.sylixos,
            devices: [{ path: '/dev/a' }],
            network: { ftpd: true, telnetd: false, sshd: true },
            cpu: { highestPrio: 160, lowestPrio: 250, defaultPrio: 200, affinity: [0, 1] },
            commands: ['ls', 'ps'],
          },
        },
      },
    },
  },
  Linux: {
    metadata: { name: 'gateway' },
    spec: {
      deploymentStrategy: { type: 'Static', nodes: ['node-4', 'node-8'] },
      template: {
        image: 'gateway@1.0.0#linux',
        hostname: 'gateway',
        command: ['gateway', '-v'],
        env: [{ name: 'RATE', value: '10' }],
        resources: { limits: { memory: '1Gi' } },
        volumeMounts: [{ name: 'data', hostPath: '/data', containerPath: '/data' }],
        platformSpecific: { linux: { restart: 'no', publish: [{ hostPort: 80, containerPort: 8080 }] } },
      },
    },
  },
};
