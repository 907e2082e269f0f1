/** `image list`: the same as `get images`. */
import type { Call } from '@ecsm/command-line';
import { filterFlags } from './filters.ts';
import { show } from './get.ts';

export async function run(call: Call): Promise<void> {
  // This command has only the filters of images.
  const flags = ['name', 'os', 'author', 'registry'];
  const others = filterFlags.map(({ name }) => name).filter((name) => !flags.includes(name));
  const flag = (name: string) => (others.includes(name) ? undefined : call.flag(name));
  await show({ ...call, flag }, [{ kind: 'image', names: call.words }]);
}
