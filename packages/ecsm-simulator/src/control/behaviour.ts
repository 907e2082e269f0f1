/** Parsing and validation of behaviour switches. */
import { type Behaviour, behaviourChoices, type ProfileName, profiles, switchProblem } from '../platform/behaviour.ts';
import { didYouMean } from './did-you-mean.ts';
import { ControlError } from './input.ts';

export const switchNames: readonly string[] = Object.keys(profiles.likely);
export const profileNames: readonly string[] = Object.keys(profiles);

export function isProfileName(name: unknown): name is ProfileName {
  return typeof name === 'string' && Object.hasOwn(profiles, name);
}

/** Validates names and values of switches. Throws `ControlError`. */
export function readSwitches(change: Readonly<Record<string, unknown>>): Partial<Behaviour> {
  for (const [name, value] of Object.entries(change)) {
    const message = switchError(name, value);
    if (message !== undefined) throw new ControlError(400, message);
  }
  return change;
}

function switchError(name: string, value: unknown): string | undefined {
  if (!switchNames.includes(name)) return `there is no switch "${name}".${didYouMean(name, switchNames)}`;
  const problem = switchProblem(name, value);
  return problem === undefined ? undefined : `${name} ${problem}, not ${JSON.stringify(value)}`;
}

/** Parses `switch=value` of the command line. Throws `ControlError`. */
export function readSwitch(text: string): Partial<Behaviour> {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=');
  if (rest.length === 0) throw new ControlError(400, `"${text}" is not of the form switch=value`);
  const isNumber = behaviourChoices[name] === undefined && value.trim() !== '' && !Number.isNaN(Number(value));
  return readSwitches({ [name]: isNumber ? Number(value) : value });
}
