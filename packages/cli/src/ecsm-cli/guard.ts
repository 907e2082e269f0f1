/**
 * Before something changes: whether a person meant it. What the operator owns it would put back, so people hear that,
 * and what to do instead. Without a terminal nothing is asked and nothing waits: it is refused unless `--yes` says so.
 */

import type { ServiceDetail } from '@ecsm/client';
import { type Call, Failure, visible } from '@ecsm/command-line';
import { readMark } from '@ecsm/operator';
import { redactText } from '@ecsm/runtime';

/** What is about to change, and what in `ecsmctl` does it so that it stays. */
export interface Change {
  readonly service: Pick<ServiceDetail, 'name' | 'image'>;
  /** `ecsmctl scale ecsmservice telemetry -n orbit --replicas 3`. */
  readonly instead: (owner: { readonly name: string; readonly namespace: string }) => string;
}

/**
 * Asks about those services that the operator owns, and answers with how many they are. Throws `Failure` if the answer is
 * not yes.
 */
export async function confirmOwned(call: Call, changes: readonly Change[]): Promise<number> {
  const { err } = call.terminal;
  const warnings = changes.flatMap(({ service, instead }) => {
    const mark = readMark(service);
    if (!mark) return [];
    const owner = `ECSMService ${mark.namespace}/${mark.name}`;
    return [
      `service "${service.name}" is owned by ${owner}: the operator will revert this change. Instead: ${instead(mark)}`,
    ].map((text) => visible(redactText(text)));
  });
  const [first, ...others] = warnings;
  if (first === undefined) return 0;
  if (call.flag('yes') !== undefined) {
    for (const warning of warnings) err.write(`Warning: ${warning}\n`);
    return warnings.length;
  }
  for (const warning of others) err.write(`Warning: ${warning}\n`);
  const answer = err.isTerminal ? await asked(call, `Warning: ${first}\nContinue? [y/N]`) : undefined;
  if (answer === undefined) throw new Failure(`${first}. To make it anyway, add --yes`);
  if (!answer) throw new Failure('nothing was changed');
  return warnings.length;
}

/** Of what cannot be undone. `what`: `Delete service "telemetry" and its 3 containers`. */
export async function confirmDestruction(call: Call, what: string): Promise<void> {
  if (call.flag('yes') !== undefined) return;
  const answer = call.terminal.err.isTerminal ? await asked(call, `${capitalised(visible(what))}? [y/N]`) : undefined;
  if (answer === undefined) throw new Failure(`${what} needs confirmation: add --yes`);
  if (!answer) throw new Failure('nothing was changed');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Nothing if there is nobody to ask. */
async function asked({ terminal }: Call, question: string): Promise<boolean | undefined> {
  const answer = await terminal.ask(question);
  return answer === undefined ? undefined : /^y(?:es)?$/i.test(answer.trim());
}
