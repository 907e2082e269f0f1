import type { Revision } from './contract.ts';

/** Most lists are of a few keys with a common prefix. */
const lengthMin = 8;

/** The two number columns of a `VersionPage`. They grow by doubling, so a long list needs no object per entry. */
export class Columns {
  #revisions: Float64Array = new Float64Array(lengthMin);
  #created: Float64Array = new Float64Array(lengthMin);
  #length = 0;

  push(revision: Revision, created: Revision): void {
    if (this.#length === this.#revisions.length) {
      this.#revisions = grown(this.#revisions);
      this.#created = grown(this.#created);
    }
    this.#revisions[this.#length] = revision;
    this.#created[this.#length++] = created;
  }

  finish(): { readonly revisions: Float64Array; readonly created: Float64Array } {
    return { revisions: this.#revisions.slice(0, this.#length), created: this.#created.slice(0, this.#length) };
  }
}

function grown(column: Float64Array): Float64Array {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}
