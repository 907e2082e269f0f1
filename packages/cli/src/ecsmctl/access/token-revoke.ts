/** `ecsmctl token revoke ID...`. An ID may be written as `token/ID`, which `token list -o name` prints. */
import { RegistryTokens, revokeToken } from '@ecsm/apiserver';
import { Failure, type Run, UsageError } from '@ecsm/command-line';
import { isApiError } from '@ecsm/runtime';
import { withAccessWriter } from './access-session.ts';

export const run: Run = async (call) => {
  const { out, err, clock } = call.terminal;
  const ids = [...new Set(call.words.map(idOf))];
  const missing = await withAccessWriter(call, async ({ registry }) => {
    const tokens = new RegistryTokens(registry);
    const failures: string[] = [];
    for (const id of ids) {
      try {
        await revokeToken(tokens, clock, id);
        out.write(`token/${id} revoked\n`);
      } catch (error) {
        if (!isApiError(error, 'NotFound')) throw error;
        failures.push(`there is no token "${id}": "ecsmctl token list" shows all`);
      }
    }
    return failures;
  });
  const last = missing.pop();
  for (const message of missing) err.write(`ecsmctl: ${message}\n`);
  if (last !== undefined) throw new Failure(last);
};

/** The message shows nothing else, because it may be a whole token. */
function idOf(word: string): string {
  const [, id] = /^(?:token\/)?([0-9a-f]{12})$/.exec(word) ?? [];
  if (id !== undefined) return id;
  const [, inside] = /^ecsm_([0-9a-f]{12})_/.exec(word) ?? [];
  if (inside !== undefined) throw new UsageError(`this is a whole token, which is secret: its id is ${inside}`);
  throw new UsageError(`"${word}" is not the id of a token: "ecsmctl token list" shows all`);
}
