/**
 * Generated defects that change nothing that anyone can observe, each with the reason. They are not planted. `find` and
 * `replace` are the changed lines as the generator prints them, without the space around them.
 * @type {{ file: string, find: string, replace: string, why: string }[]}
 */
export const equivalent = [];
