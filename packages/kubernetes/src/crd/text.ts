/** Objects as YAML, for files that users apply. */

/** One document for each object, separated by `---`. */
export async function manifestYaml(objects: readonly unknown[]): Promise<string> {
  const { stringify } = await import('yaml');
  return objects.map((object) => stringify(object, { lineWidth: 120, aliasDuplicateObjects: false })).join('---\n');
}
