/** Whether an edited text is an object, still the same one, and right. */
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
import { hiddenIn, unhide } from '../shared/secrets.ts';
import { asWritten } from '../shared/written.ts';
import type { EditProblem } from './edit-text.ts';
import type { AnyObject } from './observe.ts';

export type Checked =
  | { readonly is: 'right'; readonly manifest: Manifest }
  | { readonly is: 'wrong'; readonly problems: readonly EditProblem[] };

/** Secrets that are left hidden become those of the live object. */
export async function checkEdited(body: string, live: AnyObject, kinds: KindSet): Promise<Checked> {
  try {
    const [written, second] = await readManifests(new TextEncoder().encode(body), { file: 'the text' });
    if (second) return wrong([{ line: second.line, text: 'there has to be a single object' }]);
    if (!written) return wrong([{ text: 'the text contains no object' }]);
    const object = unhide(written.object, asWritten(live));
    if (!isObject(object)) return wrong([{ text: 'the text contains no object' }]);
    const manifest = { ...written, object };
    const problems = [...(await identityProblems(manifest, live)), ...(await valueProblems(manifest, kinds))];
    return problems.length > 0 ? wrong(problems) : { is: 'right', manifest };
  } catch (error) {
    if (isApiError(error, 'Malformed')) {
      const { position, reason } = error.details;
      return wrong([{ line: position.line, text: reason }]);
    }
    if (isApiError(error, 'TooLarge')) return wrong([{ text: error.message }]);
    throw error;
  }
}

/** What the registry says about a text, told with the lines of its fields. Throws what is no fault of the text. */
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

function wrong(problems: readonly EditProblem[]): Checked {
  return { is: 'wrong', problems };
}

/** To edit an object into another would be to make a second one. */
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
  // With the fields above changed, the rest would be measured by another kind.
  for (const error of await validateManifest(manifest, kinds)) {
    if (/^(apiVersion|kind|metadata\.name|metadata\.namespace)$/.test(error.path)) continue;
    problems.push({ line: error.position.line, text: formatFieldError(error) });
  }
  return problems;
}

/** Each place is looked for in the text, which takes time. */
const hiddenMax = 20;

/** What was made from JSON, and is no list. */
function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
