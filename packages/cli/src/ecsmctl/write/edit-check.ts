/** Validates an edited text: one object, the same identity, valid fields. */
import {
  formatFieldError,
  isApiError,
  type JsonObject,
  type KindSet,
  type Manifest,
  readManifests,
  validateManifest,
} from '@ecsm/runtime';
import { fieldAt } from '../shared/fields.ts';
import { hiddenIn } from '../shared/secrets.ts';
import type { EditProblem } from './edit-text.ts';
import type { AnyObject } from './observe.ts';

type Checked =
  | { readonly is: 'valid'; readonly manifest: Manifest }
  | { readonly is: 'invalid'; readonly problems: readonly EditProblem[] };

export async function checkEdited(body: string, live: AnyObject, kinds: KindSet): Promise<Checked> {
  try {
    const [manifest, second] = await readManifests(new TextEncoder().encode(body), { file: 'the text' });
    if (second) return invalid([{ line: second.line, text: 'there has to be a single object' }]);
    if (!manifest || !isObject(manifest.object)) return invalid([{ text: 'the text contains no object' }]);
    const problems = [...(await identityProblems(manifest, live)), ...(await valueProblems(manifest, kinds))];
    return problems.length > 0 ? invalid(problems) : { is: 'valid', manifest };
  } catch (error) {
    if (isApiError(error, 'Malformed')) {
      const { position, reason } = error.details;
      return invalid([{ line: position.line, text: reason }]);
    }
    if (isApiError(error, 'TooLarge')) return invalid([{ text: error.message }]);
    throw error;
  }
}

/** Converts a validation error of the registry to problems with lines. Rethrows other errors. */
export async function refusalOf(error: unknown, manifest: Manifest): Promise<readonly EditProblem[]> {
  if (isApiError(error, 'Forbidden') || isApiError(error, 'TooLarge')) return [{ text: error.message }];
  if (!isApiError(error, 'Invalid')) throw error;
  return Promise.all(
    error.details.errors.map(async (problem) => ({
      line: (await manifest.positionOf(problem.path)).line,
      text: formatFieldError(problem),
    })),
  );
}

function invalid(problems: readonly EditProblem[]): Checked {
  return { is: 'invalid', problems };
}

/** Changing the identity would create another object. */
async function identityProblems(manifest: Manifest, live: AnyObject): Promise<readonly EditProblem[]> {
  const problems: EditProblem[] = [];
  for (const path of ['apiVersion', 'kind', 'metadata.name', 'metadata.namespace']) {
    const before = fieldAt(live, path);
    if (fieldAt(manifest.object, path) === before) continue;
    const { line } = await manifest.positionOf(path);
    problems.push({ line, text: `${path} cannot be changed: it has to be ${JSON.stringify(before)}` });
  }
  return problems;
}

async function valueProblems(manifest: Manifest, kinds: KindSet): Promise<readonly EditProblem[]> {
  const problems: EditProblem[] = [];
  const placeholders = hiddenIn(manifest.object).slice(0, hiddenMax);
  for (const path of placeholders) {
    const { line } = await manifest.positionOf(path);
    problems.push({ line, text: `${path}: "<hidden>" is a placeholder for a secret: write the secret itself` });
  }
  // Errors of these fields are reported by identityProblems.
  for (const error of await validateManifest(manifest, kinds)) {
    if (placeholders.includes(error.path)) continue;
    if (/^(apiVersion|kind|metadata\.name|metadata\.namespace)$/.test(error.path)) continue;
    problems.push({ line: error.position.line, text: formatFieldError(error) });
  }
  return problems;
}

/** Finding the position of each occurrence takes time. */
const hiddenMax = 20;

/** Excludes lists. */
function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
