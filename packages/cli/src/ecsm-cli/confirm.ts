/**
 * Confirmation of changes. The operator reverts changes of services that it owns, so the prompt names the `ecsmctl`
 * command to use instead. Without a terminal there is no prompt: the change is refused unless `--yes` is given.
 */

import type { ServiceDetail } from '@ecsm/client';
import { type Call, Failure, visible } from '@ecsm/command-line';
import { readMark } from '@ecsm/operator';
import { redactText } from '@ecsm/runtime';

/** A service to change, and the `ecsmctl` command that makes the same change permanently. */
export interface Change {
  readonly service: Pick<ServiceDetail, 'name' | 'image'>;
  /** `ecsmctl scale ecsmservice telemetry -n orbit --replicas 3`, from `ecsmservice telemetry -n orbit`. */
  readonly instead: (object: string) => string;
}

/**
 * Asks for confirmation if the operator owns some of the services, and returns the number of those. Throws `Failure` if
 * the change is not confirmed.
 */
export async function confirmOwned(call: Call, changes: readonly Change[]): Promise<number> {
  const { err } = call.terminal;
  const warnings = changes.flatMap(({ service, instead }) => {
    const mark = readMark(service);
    if (!mark) return [];
    const { namespace, name } = mark;
    const owned = `service "${service.name}" is owned by ECSMService ${namespace}/${name}`;
    const command = instead(`ecsmservice ${name} -n ${namespace}`);
    return [visible(redactText(`${owned}: the operator will revert this change. Instead: ${command}`))];
  });
  const [first, ...others] = warnings;
  if (first === undefined) return 0;
  if (call.flag('yes') !== undefined) {
    for (const warning of warnings) err.write(`Warning: ${warning}\n`);
    return warnings.length;
  }
  for (const warning of others) err.write(`Warning: ${warning}\n`);
  const answer = await askYesNo(call, `Warning: ${first}\nContinue? [y/N]`);
  if (answer === undefined) throw new Failure(`${first}. To make it anyway, add --yes`);
  if (!answer) throw new Failure('nothing was changed');
  return warnings.length;
}

/** Asks before an irreversible change. `what`: `delete service "telemetry"`. Throws `Failure` if it is not confirmed. */
export async function confirmIrreversible(call: Call, what: string): Promise<void> {
  if (call.flag('yes') !== undefined) return;
  const answer = await askYesNo(call, `${capitalised(visible(what))}? [y/N]`);
  if (answer === undefined) throw new Failure(`${what} needs confirmation: add --yes`);
  if (!answer) throw new Failure('nothing was changed');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns undefined without a terminal or an answer. */
async function askYesNo({ terminal }: Call, question: string): Promise<boolean | undefined> {
  const answer = terminal.err.isTerminal ? await terminal.ask(question) : undefined;
  return answer === undefined ? undefined : /^y(?:es)?$/i.test(answer.trim());
}
