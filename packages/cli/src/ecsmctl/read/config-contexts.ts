/** `config get-contexts`, `config current-context` and `config use-context`: the contexts of the kubeconfig. */
import { Failure, type Run, UsageError } from '@ecsm/command-line';
import { useContext } from '@ecsm/kubernetes';
import { paintOf } from '../../print/paint.ts';
import { formatTable } from '../../print/table.ts';
import { kubeconfigOf, sourceOf } from '../shared/contexts.ts';
import { locateRegistry, settingsOf } from '../shared/location.ts';

export const getContexts: Run = async (call) => {
  const { out, err } = call.terminal;
  const { contexts, currentContext } = await kubeconfigOf(call);
  if (contexts.size === 0) {
    err.write('No contexts found.\n');
    return;
  }
  const rows = [...contexts.values()].map(({ name, fields }) => [
    name === currentContext ? '*' : '',
    name,
    fields.cluster ?? '',
    fields.user ?? '',
    fields.namespace ?? '',
  ]);
  const columns = ['CURRENT', 'NAME', 'CLUSTER', 'USER', 'NAMESPACE'].map((name) => ({ name }));
  out.write(formatTable({ columns, rows, columnsMax: out.columns, paint: paintOf(out.isColoured) }));
};

export const currentContext: Run = async (call) => {
  const { currentContext: name } = await kubeconfigOf(call);
  if (name === undefined) throw new Failure('the current context is not set');
  call.terminal.out.write(`${name}\n`);
};

export const use: Run = async (call) => {
  const [name, ...others] = call.words;
  if (name === undefined || others.length > 0) throw new UsageError('use-context needs the name of one context');
  await useContext(await sourceOf(call), name);
  const { out, err } = call.terminal;
  out.write(`Switched to context "${name}".\n`);
  const settings = await settingsOf(call);
  const { url } = await locateRegistry(call, settings);
  if (url === 'kubernetes:' || url === `kubernetes:${name}`) return;
  const from = settings.origin('registry');
  err.write(
    `ecsmctl does not use it: its registry is ${url}${from === undefined ? '' : ` (${from})`}. To use it: --context ${name}, or ECSM_REGISTRY=kubernetes: for the current context\n`,
  );
};
