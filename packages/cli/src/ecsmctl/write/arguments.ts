/** Checks arguments before the registry is opened. */
import { type Call, UsageError } from '@ecsm/command-line';
import { parseResourceArgs } from '../shared/kinds.ts';
import { knownKinds } from '../shared/session.ts';

/** For commands that take only files. */
export function rejectArguments(call: Call, command: string): void {
  rejectKustomize(call, command);
  const [first] = call.words;
  if (first === undefined) return;
  if (/^(ns|namespaces?)$/i.test(first)) {
    throw new UsageError(
      'a namespace need not be created: apply objects with -n NAME, or with metadata.namespace. On a Kubernetes API server, use kubectl',
    );
  }
  const isFile = /[./\\]/.test(first);
  throw new UsageError(
    isFile ? `to read "${first}", write -f ${first}` : `objects are read from files: write -f FILE, not "${first}"`,
  );
}

/** Throws `UsageError` for `-k`. */
export function rejectKustomize(call: Call, command: string): void {
  if (call.origin('kustomize') === undefined) return;
  const directory = call.flag('kustomize');
  throw new UsageError(
    `-k is not supported, because ecsmctl contains no kustomize: run "kustomize build ${directory} | ecsmctl ${command} -f -"`,
  );
}

/** For commands that need names and do not accept a kind alone. */
export function requireNames({ words }: Call): void {
  const { kinds, objects } = parseResourceArgs({ kinds: knownKinds }, words);
  if (!objects) throw new UsageError(`which ${kinds.map(({ plural }) => plural).join(', ')}? Specify names`);
}
