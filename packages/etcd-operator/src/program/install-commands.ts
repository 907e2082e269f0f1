/** `etcd-operator crd` and `etcd-operator manifests`. */
import type { Run } from '@ecsm/command-line';
import { manifestYaml } from '@ecsm/kubernetes';
import { definitions, installation } from './manifests.ts';

export const crd: Run = async ({ terminal }) => {
  terminal.out.write(await manifestYaml(definitions()));
};

export const manifests: Run = async (call) => {
  const image = call.flag('image') ?? '';
  const namespace = call.flag('install-namespace') ?? '';
  call.terminal.out.write(await manifestYaml(installation({ image, namespace })));
};
