/** A real kube-controller-manager, with the controllers that pods with volumes need. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ControllerManager {
  stop(): Promise<void>;
}

const controllers = [
  'statefulset-controller',
  'persistentvolume-binder-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
];

/** `KUBE_BIN` names the program, as for the API server. */
export function startControllerManager(kubeconfig: string): ControllerManager {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-controller-manager-'));
  const child = spawn(
    process.env['KUBE_BIN'] ?? '',
    [
      'kube-controller-manager',
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--secure-port=0',
      `--cert-dir=${directory}`,
      '--use-service-account-credentials=false',
      `--controllers=${controllers.join()}`,
    ],
    { stdio: 'ignore' },
  );
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  return {
    async stop() {
      process.off('exit', endWithUs);
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
