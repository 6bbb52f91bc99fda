/** A member of an archive, as read by {@link readTar}. */
export interface TarMember {
  /** The type flag: `0` file, `1` hard link, `2` symbolic link, `5` directory. */
  readonly type: string;
  readonly path: string;
  readonly mode: number;
  readonly content: string;
  readonly target: string;
}

/** Reads a ustar archive, for tests: checks the magic and each checksum. */
export function readTar(archive: Buffer): TarMember[] {
  const members: TarMember[] = [];
  for (let at = 0; archive[at] !== 0;) {
    const header = archive.subarray(at, at + 512);
    const text = (start: number, end: number): string => header.toString('utf8', start, end).replace(/\0.*$/s, '');
    const octal = (start: number, end: number): number => Number.parseInt(text(start, end), 8);
    let sum = 0;
    header.forEach((byte, index) => (sum += index >= 148 && index < 156 ? 32 : byte));
    if (sum !== octal(148, 155) || text(257, 265) !== 'ustar') throw new Error(`not a ustar header at ${String(at)}`);
    const size = octal(124, 136);
    members.push({
      type: text(156, 157),
      path: [text(345, 500), text(0, 100)].filter(Boolean).join('/'),
      mode: octal(100, 108),
      content: archive.toString('latin1', at + 512, at + 512 + size),
      target: text(157, 257),
    });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return members;
}
