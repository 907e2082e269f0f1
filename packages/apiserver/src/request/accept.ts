/** Chooses the form of a response by the Accept header, as Kubernetes: several alternatives, each with parameters. */
import { BoundedMap } from '@ecsm/runtime';
import { notAcceptable } from '../response/http-error.ts';

type Transform = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

export interface Negotiated {
  readonly mediaType: 'application/json' | 'application/yaml';
  /** Undefined: the objects as they are. */
  readonly as: Transform | undefined;
  readonly pretty: boolean;
}

const jsonAndYaml = ['application/json', 'application/yaml'] as const;
const allTransforms: readonly Transform[] = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'];

/**
 * The first acceptable alternative, by quality and then by specificity. `transforms` are those that the endpoint
 * offers. Throws a NotAcceptable HttpError, for example if a client accepts protobuf only.
 */
export function negotiate(accept: string | undefined, transforms: readonly Transform[] = allTransforms): Negotiated {
  const isKept = transforms === allTransforms && accept !== undefined && accept.length <= keptLengthMax;
  const known = isKept ? kept.get(accept) : undefined;
  if (known) return known;
  const negotiated = choose(accept, transforms);
  if (isKept) kept.set(accept, negotiated);
  return negotiated;
}

/** Every client sends the same few headers with all of its requests. */
const kept = new BoundedMap<string, Negotiated>(64);
const keptLengthMax = 512;

function choose(accept: string | undefined, transforms: readonly Transform[]): Negotiated {
  for (const { mediaType, parameters } of alternatives(accept)) {
    const as = parameters.get('as');
    const transform = transforms.find((offered) => offered === as);
    if (as !== undefined && (transform === undefined || !isFrom(parameters, 'meta.k8s.io', 'v1'))) continue;
    if ((parameters.get('stream') ?? 'watch') !== 'watch') continue;
    return { mediaType, as: transform, pretty: parameters.get('pretty') === '1' };
  }
  throw notAcceptable(jsonAndYaml);
}

interface NegotiatedDiscovery extends Omit<Negotiated, 'as'> {
  /** Whether the client asks for all groups and resources in one document of apidiscovery.k8s.io/v2. */
  readonly aggregated: boolean;
}

/** Like `negotiate`, for `/api` and `/apis`. */
export function negotiateDiscovery(accept: string | undefined): NegotiatedDiscovery {
  for (const { mediaType, parameters } of alternatives(accept)) {
    const as = parameters.get('as');
    const aggregated = as === 'APIGroupDiscoveryList' && isFrom(parameters, 'apidiscovery.k8s.io', 'v2');
    if (as === undefined || aggregated) return { mediaType, aggregated, pretty: parameters.get('pretty') === '1' };
  }
  throw notAcceptable(jsonAndYaml);
}

interface Alternative {
  readonly mediaType: Negotiated['mediaType'];
  readonly parameters: ReadonlyMap<string, string>;
}

function isFrom(parameters: ReadonlyMap<string, string>, group: string, version: string): boolean {
  return parameters.get('g') === group && parameters.get('v') === version;
}

/** The alternatives that this server can write, the preferred one first. */
function alternatives(accept: string | undefined): readonly Alternative[] {
  if (accept === undefined || accept.trim() === '') return [{ mediaType: 'application/json', parameters: new Map() }];
  return accept
    .split(',')
    .flatMap((clause) => readClause(clause))
    .sort((a, b) => b.quality - a.quality || b.specificity - a.specificity);
}

interface Clause extends Alternative {
  readonly quality: number;
  readonly specificity: number;
}

function readClause(clause: string): readonly Clause[] {
  const [range = '', ...rest] = clause.split(';').map((part) => part.trim());
  const parameters = new Map(rest.map(readParameter));
  const quality = parameters.has('q') ? Number(parameters.get('q')) : 1;
  if (!(quality > 0)) return [];
  const found = mediaTypeOf(range.toLowerCase());
  return found === undefined ? [] : [{ ...found, parameters, quality }];
}

function mediaTypeOf(range: string): Pick<Clause, 'mediaType' | 'specificity'> | undefined {
  switch (range) {
    case 'application/json':
    case 'application/yaml':
      return { mediaType: range, specificity: 2 };
    case 'application/*':
      return { mediaType: 'application/json', specificity: 1 };
    case '*/*':
      return { mediaType: 'application/json', specificity: 0 };
    default:
      return undefined;
  }
}

function readParameter(parameter: string): [name: string, value: string] {
  const equals = parameter.indexOf('=');
  const name = equals === -1 ? parameter : parameter.slice(0, equals);
  const value = equals === -1 ? '' : parameter.slice(equals + 1).trim();
  return [name.trim().toLowerCase(), value.replace(/^"(.*)"$/u, '$1')];
}
