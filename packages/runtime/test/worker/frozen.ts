/**
 * A process that stops itself (SIGSTOP) in the middle of a commit, while it holds the write lock. After SIGCONT it
 * finishes that commit and makes some more. Usage: frozen <registry URL> <name> <commits before> <commits after>
 */
import { openRegistry, systemClock } from '@ecsm/runtime';
import { print } from './print.ts';
import { encode } from './value.ts';

const [url = '', name = '', before = '0', after = '0'] = process.argv.slice(2);
const loop = `${name}/0`;
let isToStop = false;
// The store asks for the time of a commit inside its transaction.
const clock = {
  ...systemClock,
  now() {
    if (isToStop) {
      isToStop = false;
      print({ ready: true });
      process.kill(process.pid, 'SIGSTOP');
    }
    return systemClock.now();
  },
};

const { store } = await openRegistry(url, { kinds: [], clock });
for (let number = 1; number <= Number(before) + 1 + Number(after); number++) {
  const key = `example.io/v1/things/${loop}-${number % 5}`;
  print({ loop, intends: { [key]: number } });
  isToStop = number === Number(before) + 1;
  const outcome = await store.commit([{ type: 'put', key, value: encode(name, number) }]);
  if (outcome.committed) print({ loop, revision: outcome.revision });
}
await store.close();
