/**
 * The planted defects, by area. An area has a folder, to which all its paths are relative, and the default tests of its
 * mutants. A mutant has a name that describes the defect, the text to find, which occurs exactly once in the file, and its
 * replacement. It has to compile, otherwise it would be detected for the wrong reason.
 */
import { api } from './list/api.mjs';
import * as apiserver from './list/apiserver.mjs';
import { autoscaler, autoscaling } from './list/autoscaling.mjs';
import { clientset, rest } from './list/client.mjs';
import { controller, informer, operate } from './list/controller.mjs';
import { dependencies } from './list/dependencies.mjs';
import * as etcdBackup from './list/etcd-backup.mjs';
import { kubernetes } from './list/kubernetes.mjs';
import { manager } from './list/manager.mjs';
import * as operator from './list/operator.mjs';
import { allocations, placement } from './list/placement.mjs';
import { registry } from './list/registry.mjs';
import { simulator } from './list/simulator.mjs';
import { store } from './list/store.mjs';
import * as tools from './list/tools.mjs';
import { transfer } from './list/transfer.mjs';
import { workqueue } from './list/workqueue.mjs';

/** @type {{ folder: string, tests: string[], mutants: { name: string, file: string, find: string, replace: string, tests?: string[] }[] }[]} */
export const areas = [
  api,
  registry,
  store,
  workqueue,
  informer,
  controller,
  operate,
  manager,
  transfer,
  rest,
  clientset,
  ...Object.values(apiserver),
  kubernetes,
  ...Object.values(operator),
  ...Object.values(tools),
  ...Object.values(etcdBackup),
  dependencies,
  placement,
  allocations,
  autoscaling,
  autoscaler,
  simulator,
];
