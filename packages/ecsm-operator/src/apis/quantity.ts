/** Amounts of memory and disk, written as in Kubernetes: `512Mi`, `1Gi`, `200M`, or a plain number of bytes. */

/** Of each suffix. */
export const quantityFactors: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Bytes, rounded up. Returns undefined if the text is not a quantity. */
export function parseQuantity(text: string): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,9})?)(k|M|G|T|Ki|Mi|Gi|Ti)?$/u.exec(text);
  if (!match) return undefined;
  const bytes = Math.ceil(Number(match[1]) * (quantityFactors[match[2] ?? ''] ?? Number.NaN));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** The format of a schema. */
export const quantityFormat = {
  name: 'quantity',
  check: (text: string): string | undefined => {
    const bytes = parseQuantity(text);
    if (bytes === undefined) return 'must be a quantity such as 512Mi, 1Gi or a number of bytes';
    return bytes === 0 ? 'must be greater than 0' : undefined;
  },
};
