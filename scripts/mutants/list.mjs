/**
 * The planted defects, by area. An area has a folder, from which all its paths start, and tests for the mutants that name
 * none of their own. A mutant has a name that says what is wrong, the text to find, which occurs exactly once in the
 * file, and what replaces it. It has to compile, or it would be noticed for the wrong reason.
 */
import { api } from './list/api.mjs';
import { clientset, rest } from './list/client.mjs';
import { controller, informer } from './list/controller.mjs';
import { manager } from './list/manager.mjs';
import * as operator from './list/operator.mjs';
import { registry } from './list/registry.mjs';
import { store } from './list/store.mjs';
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
  manager,
  transfer,
  rest,
  clientset,
  ...Object.values(operator),
];
