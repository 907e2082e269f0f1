/**
 * The TypeScript compiler for the generator of defects: syntax trees of product files, and whether a text with a defect
 * still compiles. Files are checked one by one, in the project of their package; nothing is written.
 *
 * TypeScript 7 offers this interface as `unstable`, in the exact version of package.json.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API } from 'typescript/unstable/sync';

const root = fileURLToPath(new URL('../..', import.meta.url));

export class Compiler {
  /** @type {Map<string, string>} the text with a defect, by file */
  #planted = new Map();
  #api = new API({ cwd: root, fs: { readFile: (file) => this.#planted.get(file) } });
  #opened = new Set();

  /** @param {string} file path from the root of the repository */
  sourceFile(file) {
    const tree = this.#project(file).program.getSourceFile(join(root, file));
    if (tree === undefined) throw new Error(`${file} belongs to no project`);
    return tree;
  }

  /** Whether the file compiles with this text. Files that import it are not checked again. */
  compiles(file, text) {
    const path = join(root, file);
    this.#planted.set(path, text);
    const { program } = this.#project(file, path);
    const isFine = [program.getSyntacticDiagnostics(path), program.getSemanticDiagnostics(path)].flat().length === 0;
    this.#planted.delete(path);
    this.#api.updateSnapshot({ fileChanges: { changed: [path] } });
    return isFine;
  }

  close() {
    this.#api.close();
  }

  #project(file, changed) {
    const config = join(root, ...file.split('/').slice(0, 2), 'tsconfig.json');
    this.#opened.add(config);
    const snapshot = this.#api.updateSnapshot({
      openProjects: [...this.#opened],
      ...(changed === undefined ? {} : { fileChanges: { changed: [changed] } }),
    });
    const project = snapshot.getProject(config);
    if (project === undefined) throw new Error(`${config} is not a project`);
    return project;
  }
}
