/** Starts one control plane for the whole run. */
import type { TestProject } from 'vitest/node';
import { startControlPlane } from './control-plane.kit.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly kubeconfig: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const plane = await startControlPlane();
  project.provide('kubeconfig', plane.kubeconfig);
  return () => plane.stop();
}
