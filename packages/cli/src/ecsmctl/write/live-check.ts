/**
 * Asks the platform for the images and nodes that services name. The platform would refuse them only during a rollout, and
 * some platforms only after the running instances were stopped. Read-only: one list of nodes, and one call for each image.
 */
import { collect, Ecsm, platformResponse, RestClient } from '@ecsm/client';
import { type Call, withProgress } from '@ecsm/command-line';
import { ECSMService } from '@ecsm/operator/kinds';
import { isApiError } from '@ecsm/runtime';
import { fieldAt } from '../shared/fields.ts';
import type { Document } from '../shared/manifests.ts';
import { linkFailure, type PlatformLink } from '../shared/platform-link.ts';

const checkMs = 60_000;

/** One line for each problem, with file, line and column. */
export async function liveProblems(
  call: Call,
  link: PlatformLink,
  documents: readonly Document[],
): Promise<readonly string[]> {
  const services = documents.filter(({ kind }) => kind === ECSMService);
  if (services.length === 0) return [];
  const { url, transport, headers } = link;
  const rest = new RestClient({ transport, headers: () => headers, clock: call.terminal.clock });
  const ecsm = new Ecsm(rest);
  try {
    return await withProgress(call.terminal, { what: `the platform ${url}`, timeoutMs: checkMs }, async (progress) => {
      const { signal } = progress;
      const nodes = new Set((await collect(ecsm.nodes().list({}, { signal }))).map(({ name }) => name));
      const images = new Map<string, string | undefined>();
      const problems: string[] = [];
      for (const document of services) {
        const image = imageOf(document);
        if (!images.has(image)) images.set(image, await imageProblem(ecsm, image, signal));
        const problem = images.get(image);
        if (problem !== undefined) problems.push(await at(document, 'spec.template.image', problem));
        for (const { path, name } of nodesOf(document)) {
          if (!nodes.has(name)) problems.push(await at(document, path, `the platform has no node "${name}"`));
        }
      }
      return problems;
    });
  } catch (error) {
    throw linkFailure(error, link);
  }
}

/** With the operating system that the operator adds. */
function imageOf({ object }: Document): string {
  const image = String(fieldAt(object, 'spec.template.image'));
  if (image.includes('#')) return image;
  const os = fieldAt(object, 'spec.template.platformSpecific.platform.os');
  return `${image}#${typeof os === 'string' ? os : 'sylixos'}`;
}

async function imageProblem(ecsm: Ecsm, image: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    await ecsm.images().config(image, { signal });
    return undefined;
  } catch (error) {
    if (!isApiError(error, 'NotFound') && !isApiError(error, 'Rejected')) throw error;
    const { message, code } = platformResponse(error) ?? {};
    const said = message ? `: "${message}"${code === undefined ? '' : ` (code ${code})`}` : '';
    return `the platform has no image "${image}"${said}`;
  }
}

function nodesOf({ object }: Document): readonly { readonly path: string; readonly name: string }[] {
  return ['nodePool', 'nodes'].flatMap((field) => {
    const path = `spec.deploymentStrategy.${field}`;
    const names = fieldAt(object, path);
    return Array.isArray(names) ? names.map((name, index) => ({ path: `${path}[${index}]`, name: String(name) })) : [];
  });
}

async function at({ manifest }: Document, path: string, text: string): Promise<string> {
  const { file, line, column } = await manifest.positionOf(path);
  return `${file}:${line}:${column}: ${path}: ${text}`;
}
