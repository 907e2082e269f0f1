/** The kinds that a registry for a process node has to be opened with. */
import { ConfigMap, Secret } from '@ecsm/apiserver';
import {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Service,
  StatefulSet,
  StorageClass,
} from '@ecsm/kubernetes';
import type { Kind } from '@ecsm/runtime';

export const processNodeKinds: readonly Kind[] = [
  ConfigMap,
  Secret,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Service,
  StatefulSet,
  StorageClass,
];
