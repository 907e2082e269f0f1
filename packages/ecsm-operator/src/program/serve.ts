/** `ecsm-operator run --serve`: Kubernetes' API in the process of the operator. Loaded only if it is asked for. */
import { setFlagsFromString } from 'node:v8';
import { type Serving, startServing } from '@ecsm/apiserver';
import type { Log } from '@ecsm/runtime';
import { nodeLeaseNamespace, unmanagedNamespace } from '../apis/well-known.ts';
import { podSubresourceReason } from '../views/subresources.ts';
import type { Components } from './components.ts';
import type { ServeOptions } from './options.ts';

export async function serve({ registry, operator }: Components, options: ServeOptions, log: Log): Promise<Serving> {
  // bin/ecsm-operator turns the compilers off to save memory, but a server runs the same code for every request.
  for (const flag of ['--sparkplug', '--flush-baseline-code', '--opt']) setFlagsFromString(flag);
  const viewNamespaces = [unmanagedNamespace, nodeLeaseNamespace];
  const views = operator.views.map((view) => ({ ...view, missingSubresource: podSubresourceReason }));
  const serving = await startServing({ registry, ...options, views, viewNamespaces, log });
  log.write('info', 'serving the Kubernetes API', { url: serving.url, kubeconfig: serving.adminKubeconfig });
  return serving;
}
