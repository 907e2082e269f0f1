/** The command of a container on this host: its program from the directory of the image, with rewritten arguments. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import type { Container } from '@ecsm/kubernetes';
import { expand } from './expand.ts';
import type { ProcessCommand } from './name-lookup.ts';
import type { Rewrite } from './rewrite.ts';
import { StartFailure } from './start-failure.ts';

/** The directory with the programs of an image; undefined if the image is not known. */
export type Binaries = (image: string) => string | undefined;

interface CommandContext {
  readonly binaries: Binaries;
  readonly variables: ReadonlyMap<string, string>;
  readonly rewrite: Rewrite;
  readonly hostname: string;
}

const systemPath = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';

/** Throws `StartFailure` if the image or the program is not known. */
export function commandOf(container: Container, context: CommandContext): ProcessCommand {
  const { binaries, variables, rewrite, hostname } = context;
  const { image = '', command = [], args = [] } = container;
  const directory = binaries(image);
  if (directory === undefined) throw new StartFailure('ErrImagePull', `image "${image}" is not known to this node`);
  const final = (text: string) => rewrite(expand(text, variables));
  // An image without a command runs the program that it is named after.
  const [program = '', ...rest] = command.length > 0 ? command : [nameOf(image)];
  const name = basename(expand(program, variables));
  const file = join(directory, name);
  if (!existsSync(file))
    throw new StartFailure('RunContainerError', `"${name}": executable file not found in the image`);
  const environment = Object.fromEntries([...variables].map(([key, value]) => [key, rewrite(value)]));
  const path = [directory, environment['PATH'], systemPath].filter((part) => part !== undefined).join(':');
  return {
    file,
    arguments: [...rest, ...args].map(final),
    environment: { HOSTNAME: hostname, ...environment, PATH: path },
  };
}

/** `quay.io/coreos/etcd:v3.5.16` is `etcd`. */
function nameOf(image: string): string {
  return (image.split('/').at(-1) ?? image).split(/[:@]/u)[0] ?? image;
}
