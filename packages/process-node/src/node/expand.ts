/** The references `$(NAME)` in commands, arguments and variables, as Kubernetes expands them. */

/** A reference to an unknown variable stays as it is; `$$` is a dollar sign that starts no reference. */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^()$]*)\)/gu, (reference, name?: string) => {
    if (name === undefined) return '$';
    return variables.get(name) ?? reference;
  });
}
