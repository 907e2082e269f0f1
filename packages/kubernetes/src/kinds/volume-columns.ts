/** What the tables of PersistentVolume and PersistentVolumeClaim share. */

const short: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

export function accessModesText(modes: readonly string[] = []): string {
  return modes.map((mode) => short[mode] ?? mode).join(',');
}
