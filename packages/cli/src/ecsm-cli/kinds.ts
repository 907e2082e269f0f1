/** The kinds of objects on the platform, with their names. Data only: this module is loaded with every command. */

export interface KindNames {
  readonly singular: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly help: string;
  /** Filter flags of `get` that apply to the kind. */
  readonly filters: readonly string[];
}

export const kindNames = {
  node: {
    singular: 'node',
    plural: 'nodes',
    shortNames: ['no'],
    help: 'machines of the platform',
    filters: ['name', 'basic'],
  },
  service: {
    singular: 'service',
    plural: 'services',
    shortNames: ['svc'],
    help: 'deployed services',
    filters: ['name', 'image', 'node', 'label', 'namespace'],
  },
  container: {
    singular: 'container',
    plural: 'containers',
    shortNames: ['co'],
    help: 'instances of services',
    filters: ['service', 'node', 'key', 'namespace'],
  },
  image: {
    singular: 'image',
    plural: 'images',
    shortNames: ['img'],
    help: 'images that services use',
    filters: ['registry', 'name', 'os', 'author'],
  },
  record: {
    singular: 'record',
    plural: 'records',
    shortNames: ['rec'],
    help: 'past deployments of a service',
    filters: ['service'],
  },
} as const satisfies Readonly<Record<string, KindNames>>;

export type Kind = keyof typeof kindNames;

export const kinds = ['node', 'service', 'container', 'image', 'record'] as const satisfies readonly Kind[];

/** `services`, `service`, `svc`, in any case. */
export function kindOf(word: string): Kind | undefined {
  const lower = word.toLowerCase();
  return kinds.find((kind) => {
    const { plural, shortNames }: KindNames = kindNames[kind];
    return lower === kind || lower === plural || shortNames.includes(lower);
  });
}
