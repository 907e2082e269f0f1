/** Which things the platform has, and what people call them. Data only: it is loaded with every command. */

export interface Name {
  readonly singular: string;
  readonly plural: string;
  readonly shorts: readonly string[];
  readonly help: string;
  /** Flags of `get` that mean something for it. */
  readonly filters: readonly string[];
}

export const names = {
  node: {
    singular: 'node',
    plural: 'nodes',
    shorts: ['no'],
    help: 'machines of the platform',
    filters: ['name', 'basic'],
  },
  service: {
    singular: 'service',
    plural: 'services',
    shorts: ['svc'],
    help: 'deployed services',
    filters: ['name', 'image', 'node', 'label', 'namespace'],
  },
  container: {
    singular: 'container',
    plural: 'containers',
    shorts: ['co'],
    help: 'instances of services',
    filters: ['service', 'node', 'key', 'namespace'],
  },
  image: {
    singular: 'image',
    plural: 'images',
    shorts: ['img'],
    help: 'images that services use',
    filters: ['registry', 'name', 'os', 'author'],
  },
  record: {
    singular: 'record',
    plural: 'records',
    shorts: ['rec'],
    help: 'past deployments of a service',
    filters: ['service'],
  },
} as const satisfies Readonly<Record<string, Name>>;

export type Kind = keyof typeof names;

export const kinds = ['node', 'service', 'container', 'image', 'record'] as const satisfies readonly Kind[];

/** `services`, `service`, `svc`, in any case. */
export function kindOf(word: string): Kind | undefined {
  const lower = word.toLowerCase();
  return kinds.find((kind) => {
    const { plural, shorts }: Name = names[kind];
    return lower === kind || lower === plural || shorts.includes(lower);
  });
}
