/** The contexts of the kubeconfig. */
import type { Call } from '@ecsm/command-line';
import { type Kubeconfig, type KubeconfigSource, loadKubeconfig } from '@ecsm/kubernetes';
import { kubeconfigSource, settingsOf } from './location.ts';

export async function sourceOf(call: Call): Promise<KubeconfigSource> {
  return kubeconfigSource(call.terminal, (await settingsOf(call)).get('kubeconfig'));
}

/** Throws `BadRequest` or `Malformed` if a file cannot be read. */
export async function kubeconfigOf(call: Call): Promise<Kubeconfig> {
  return loadKubeconfig(await sourceOf(call));
}

/** For completion. */
export async function contextNames(call: Call): Promise<readonly string[]> {
  return [...(await kubeconfigOf(call)).contexts.keys()];
}
