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
import { hiddenIn, restoreSecrets } from '../shared/secrets.ts';
import { userFieldsOf } from '../shared/user-fields.ts';
import type { EditProblem } from './edit-text.ts';
import type { AnyObject } from './observe.ts';

export type Checked =
  | { readonly is: 'valid'; readonly manifest: Manifest }
  | { readonly is: 'invalid'; readonly problems: readonly EditProblem[] };

/** Placeholders that are left unchanged are replaced by the secrets of the live object. */
export async function checkEdited(body: string, live: AnyObject, kinds: KindSet): Promise<Checked> {
  try {
    const [written, second] = await readManifests(new TextEncoder().encode(body), { file: 'the text' });
    if (second) return invalid([{ line: second.line, text: 'there has to be a single object' }]);
    if (!written) return invalid([{ text: 'the text contains no object' }]);
    const object = restoreSecrets(written.object, userFieldsOf(live));
    if (!isObject(object)) return invalid([{ text: 'the text contains no object' }]);
    const manifest = { ...written, object };
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
  for (const path of hiddenIn(manifest.object).slice(0, hiddenMax)) {
    const { line } = await manifest.positionOf(path);
    problems.push({ line, text: `${path}: "<hidden>" does not stand for an existing secret: write the secret` });
  }
  // Errors of these fields are reported by identityProblems.
  for (const error of await validateManifest(manifest, kinds)) {
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
