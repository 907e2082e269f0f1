/**
 * Shapes of templates ("service choreography") in responses. They are barely documented, so few fields are required.
 */
import { type Shaped, shape } from '@ecsm/runtime';
import { flag, maybe, maybeAnything, maybeText } from './tolerant.ts';

/** A folder or a service in the tree of templates. */
const templateNode = shape.object({
  id: maybeText,
  name: maybeText,
  path: maybeText,
  /** The full path, under its other name. */
  realpath: maybeText,
  kind: maybe(shape.word('folder', 'service')),
  /** The children, as a list or by name. */
  children: maybe(shape.either(shape.list(shape.anything()), shape.record(shape.anything()))),
});
export type TemplateNode = Shaped<typeof templateNode>;

/** A tree is returned as its root, or as the list of its children. */
export const templateNodes = shape.nullable(shape.either(shape.list(templateNode), templateNode));

export function nodesOf(response: Shaped<typeof templateNodes>): readonly TemplateNode[] {
  if (response === null) return [];
  return isList(response) ? response : [response];
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList<T>(value: readonly T[] | object): value is readonly T[] {
  return Array.isArray(value);
}

export const template = shape.object({
  id: maybeText,
  name: maybeText,
  path: maybeText,
  kind: maybe(shape.word('folder', 'service')),
  /** The service specification; null or absent for a folder. */
  spec: maybeAnything,
  templates: maybeAnything,
});
export type Template = Shaped<typeof template>;

export const createdTemplates = shape.object({
  provisionTmplList: shape.nullable(shape.list(shape.object({ id: shape.string(), name: maybeText }))),
});

export const templateFolder = shape.object({ id: shape.string(), path: maybeText });
export type TemplateFolder = Shaped<typeof templateFolder>;

export const updatedTemplate = shape.nullable(
  shape.either(shape.object({ id: maybeText, deployResult: maybeAnything }), shape.string()),
);

export const templateImageResults = shape.nullable(
  shape.list(
    shape.object({
      id: maybeText,
      name: maybeText,
      result: flag,
      /** `successful`, or the error. */
      message: maybeText,
      deployResult: maybeAnything,
    }),
  ),
);
export type TemplateImageResult = NonNullable<Shaped<typeof templateImageResults>>[number];
