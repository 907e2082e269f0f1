/** `ecsmctl token create`: the token on standard output, and everything about it on the error output. */
import type { Run } from '@ecsm/command-line';
import { withAccessWriter } from './access-session.ts';
import { newTokenOf, tokenInputOf, tokenText } from './new-token.ts';

export const run: Run = async (call) => {
  const { out, err } = call.terminal;
  const input = tokenInputOf(call);
  const created = await withAccessWriter(call, (session) => newTokenOf(call, session, input), true);
  err.write(`${tokenText(created)}; it is not shown again\n`);
  out.write(`${created.token}\n`);
  await out.drained();
};
