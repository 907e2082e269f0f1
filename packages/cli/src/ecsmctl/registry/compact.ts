/** `ecsmctl registry compact`: discards history. Objects are not changed. */
import { Failure, type Run } from '@ecsm/command-line';
import { wholeNumberOf } from '../shared/numbers.ts';
import { withSession } from '../shared/session.ts';

export const run: Run = async (call) => {
  const asked = wholeNumberOf(call, 'revision');
  await withSession(call, async ({ store, url }) => {
    const newest = await store.revision();
    if (asked !== undefined && asked > newest) {
      throw new Failure(`there is no revision ${asked} in ${url}: the newest is ${newest}`);
    }
    const revision = asked ?? newest;
    await store.compact(revision);
    call.terminal.out.write(`compacted ${url}: history before revision ${revision} was discarded\n`);
  });
};
