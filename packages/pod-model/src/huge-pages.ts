/**
 * Formats the size of a huge page as in the kernel's cgroup file names and in the CRI, such as `2MB` for 2 MiB: the units are powers of 1024.
 */
export function hugePageSizeName(bytes: bigint): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  let size = bytes;
  let unit = 0;
  while (size >= 1024n && size % 1024n === 0n && unit < units.length - 1) {
    size /= 1024n;
    unit++;
  }
  return `${String(size)}${units[unit]!}`;
}
