const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a size for people, as the kubelet does: `512 B`, `26.4 GiB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${String(bytes)} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power - 1]!}`;
}
