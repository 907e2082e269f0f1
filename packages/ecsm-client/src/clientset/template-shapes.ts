/** Templates ("service choreography") as the platform shows them. Little of this is documented, so little is required. */
import { type Shaped, shape } from '@ecsm/runtime';
import { flag, maybe, maybeAnything, maybeText } from './tolerant.ts';

/** A folder or a service in the tree of templates. */
export const templateNode = shape.object({
  id: maybeText,
  name: maybeText,
  path: maybeText,
  /** The full path, under the other name that it goes by. */
  realpath: maybeText,
  kind: maybe(shape.word('folder', 'service')),
  /** What is inside, as a list or by name. */
  children: maybe(shape.either(shape.list(shape.anything()), shape.record(shape.anything()))),
});
export type TemplateNode = Shaped<typeof templateNode>;

/** A tree may come as its root or as a list of what is under it. */
export const templateNodes = shape.nullable(shape.either(shape.list(templateNode), templateNode));

export function nodesOf(answer: Shaped<typeof templateNodes>): readonly TemplateNode[] {
  if (answer === null) return [];
  return isList(answer) ? answer : [answer];
}

/** `Array.isArray` does not know lists that are read-only. */
function isList<T>(value: readonly T[] | object): value is readonly T[] {
  return Array.isArray(value);
}

export const template = shape.object({
  id: maybeText,
  name: maybeText,
  path: maybeText,
  kind: maybe(shape.word('folder', 'service')),
  /** What a service is made from; null or nothing for a folder. */
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
      /** `successful`, or what went wrong. */
      message: maybeText,
      deployResult: maybeAnything,
    }),
  ),
);
export type TemplateImageResult = NonNullable<Shaped<typeof templateImageResults>>[number];
