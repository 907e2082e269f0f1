export interface ManifestLimits {
  /** Of a whole file. */
  readonly inputBytesMax: number;
  /** Of one document, also with its aliases expanded. */
  readonly documentBytesMax: number;
  /** Tokens of the YAML lexer in one document, white space included: each takes some microseconds. */
  readonly lexemesMax: number;
  /** Of one file; the items of a list count one each. */
  readonly documentsMax: number;
}

/** They protect the memory of a small machine against a mistaken or malicious file. */
export const manifestLimits: ManifestLimits = {
  inputBytesMax: 16 * 1024 * 1024,
  documentBytesMax: 1024 * 1024,
  // A megabyte of typical YAML has up to 500,000.
  lexemesMax: 600_000,
  documentsMax: 10_000,
};
