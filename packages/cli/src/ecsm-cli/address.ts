/**
 * Builds the URL of the platform from a URL and from host, port and protocol. They may come from different sources: flags
 * take precedence over variables, and these over the file, so `--port 3002` changes the port of a URL in the config file.
 */
import { httpUrlOf, type Settings, UsageError, wholeNumberOf } from '@ecsm/command-line';
import { platformFlags } from './flags.ts';

const parts = ['host', 'port', 'protocol'] as const;
type Part = (typeof parts)[number];

/** Throws `UsageError`, whose message never contains a text that could hold a password. */
export function platformUrlOf(settings: Settings): string {
  const url = settings.get('url');
  const base = url === undefined ? undefined : httpUrlOf(url, settings.origin('url') ?? '--url');
  for (const part of parts) {
    const precedence = precedenceOf(settings, part);
    if (base && precedence > 0 && precedence === precedenceOf(settings, 'url')) {
      throw new UsageError(`${settings.origin('url')} and ${settings.origin(part)} conflict: use only one of them`);
    }
  }
  const settingOf = (part: Part) => {
    const applies = !base || precedenceOf(settings, part) > precedenceOf(settings, 'url');
    return applies ? settings.get(part) : undefined;
  };
  const origin = (part: Part) => settings.origin(part) ?? `--${part}`;
  const protocol = settingOf('protocol') ?? base?.protocol.slice(0, -1) ?? 'http';
  const hostText = settingOf('host');
  const portText = settingOf('port');
  const host = hostText === undefined ? base?.hostname : hostOf(hostText, origin('host'));
  const port = portText === undefined ? base?.port : String(wholeNumberOf(portText, origin('port'), 1, 65_535));
  const path = base?.pathname.replace(/\/+$/, '') ?? '';
  return `${protocol}://${host}${port ? `:${port}` : ''}${path}`;
}

/** Flag 3, variable 2, file 1, not set 0. */
function precedenceOf(settings: Settings, name: string): number {
  const origin = settings.origin(name);
  if (origin === undefined) return 0;
  if (origin.startsWith('--')) return 3;
  return platformFlags.some(({ variable }) => variable === origin) ? 2 : 1;
}

function hostOf(text: string, from: string): string {
  if (text.includes('@')) throw new UsageError(`${from} must not hold a user or password: send them with --header`);
  if (text.includes('://')) throw new UsageError(`${from} takes only a host, but "${text}" is a URL: use --url`);
  if (/^\[?[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*\]?$/i.test(text)) return `[${text.replace(/^\[|\]$/g, '')}]`;
  if (/^[\w.-]+:\d+$/.test(text))
    throw new UsageError(`${from} takes only a host, but "${text}" has a port: use --port`);
  if (/^[\w.-]+$/.test(text)) return text;
  throw new UsageError(`${from} has to be a host such as 10.0.0.1 or ecsm.site, not "${text}"`);
}
