/** Manual changes of some fields of a service. */
import { type JsonObject, type JsonValue, mergePatch, shape } from '@ecsm/runtime';
import type { DeployAction, Policy, Service, ServiceSpec } from '../platform/model.ts';

interface Edit {
  readonly name?: string;
  /** `name@tag#os` */
  readonly image?: string;
  readonly factor?: number;
  readonly policy?: Policy;
  readonly nodeNames?: readonly string[];
  readonly prepull?: boolean;
  readonly action?: DeployAction;
  readonly pullPolicy?: string;
  readonly autoUpgrade?: string;
  /** Environment variables to set; null removes one. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** A JSON Merge Patch of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly vsoa?: Readonly<Record<string, unknown>>;
}

export function edited(service: Service, edit: Edit): ServiceSpec {
  const { image: ref = service.image.ref, action, pullPolicy, autoUpgrade, env = {}, config = {}, vsoa } = edit;
  return {
    name: edit.name ?? service.name,
    nodeNames: edit.nodeNames ?? service.nodeNames,
    factor: edit.factor ?? service.factor,
    policy: edit.policy ?? service.policy,
    prepull: edit.prepull ?? service.prepull,
    image: {
      ...service.image,
      ref,
      action: action ?? service.image.action,
      pullPolicy: pullPolicy ?? service.image.pullPolicy,
      autoUpgrade: autoUpgrade ?? service.image.autoUpgrade,
      config: withVariables(merged(service.image.config, config), env),
      ...(vsoa === undefined ? {} : { vsoa: merged(service.image.vsoa ?? {}, vsoa) }),
    },
  };
}

function merged(target: JsonObject, patch: Readonly<Record<string, unknown>>): JsonObject {
  const result: unknown = mergePatch(target, json(patch));
  return isJsonObject(result) ? result : {};
}

/** The environment is at `process.env` for SylixOS, at `env` for Docker. */
function withVariables(config: JsonObject, env: Readonly<Record<string, string | null>>): JsonObject {
  if (Object.keys(env).length === 0) return config;
  const { process } = config;
  if (process === undefined || !isJsonObject(process)) return { ...config, env: variables(config['env'], env) };
  return { ...config, process: { ...process, env: variables(process['env'], env) } };
}

function variables(before: JsonValue | undefined, change: Readonly<Record<string, string | null>>): JsonValue {
  const lines = Array.isArray(before) ? before : [];
  const kept = lines.filter((line) => typeof line !== 'string' || !Object.hasOwn(change, line.split('=', 1)[0] ?? ''));
  const set = Object.entries(change).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
  return [...kept, ...set];
}

/** The value was parsed from JSON. */
function json(value: Readonly<Record<string, unknown>>): JsonObject {
  return isJsonObject(value) ? value : {};
}

function isJsonObject(value: unknown): value is JsonObject {
  return shape.isObject(value);
}
