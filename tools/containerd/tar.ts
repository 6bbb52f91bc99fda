/** One member of a tar archive. Paths are relative, with forward slashes and without a trailing one. */
export type TarEntry =
  | { readonly type: 'file'; readonly path: string; readonly content: Uint8Array | string; readonly mode?: number }
  | { readonly type: 'directory'; readonly path: string; readonly mode?: number }
  | { readonly type: 'symlink' | 'hardlink'; readonly path: string; readonly target: string };

const BLOCK = 512;
const TYPE_FLAG = { file: '0', hardlink: '1', symlink: '2', directory: '5' } as const;
const DEFAULT_MODE = { file: 0o644, hardlink: 0o777, symlink: 0o777, directory: 0o755 } as const;

/**
 * Returns a POSIX ustar archive of the entries, in their order. The same entries always give the same bytes: owner and group are root, every time is the epoch.
 * A path that ustar cannot hold (over 255 bytes, or with a last part over 100) is a `RangeError`.
 */
export function createTar(entries: Iterable<TarEntry>): Buffer {
  const chunks: Uint8Array[] = [];
  for (const entry of entries) {
    const content = entry.type === 'file' ? Buffer.from(entry.content) : Buffer.alloc(0);
    chunks.push(header(entry, content.length), content, Buffer.alloc(padding(content.length)));
  }
  chunks.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(chunks);
}

function header(entry: TarEntry, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { name, prefix } = splitPath(entry.type === 'directory' ? `${entry.path}/` : entry.path);
  const text = (value: string, offset: number): void => void block.write(value, offset, 'utf8');
  const octal = (value: number, offset: number, digits: number): void =>
    text(value.toString(8).padStart(digits, '0'), offset);

  text(name, 0);
  octal(('mode' in entry ? entry.mode : undefined) ?? DEFAULT_MODE[entry.type], 100, 7);
  octal(0, 108, 7); // owner
  octal(0, 116, 7); // group
  octal(size, 124, 11);
  octal(0, 136, 11); // modification time
  text(TYPE_FLAG[entry.type], 156);
  if ('target' in entry) text(checked(entry.target, 100), 157);
  text('ustar\0' + '00', 257);
  text('root', 265);
  text('root', 297);
  text(prefix, 345);

  // The checksum counts its own field as spaces.
  block.fill(' ', 148, 156);
  let sum = 0;
  for (const byte of block) sum += byte;
  text(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** ustar has 100 bytes for the name; a longer one must be cut at a slash into a prefix of 155 bytes and a name. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: checked(path, 100), prefix: '' };
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const prefix = path.slice(0, slash);
    const name = path.slice(slash + 1);
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return { name: checked(name, 100), prefix };
  }
  throw new RangeError(`too long for a ustar archive: ${path}`);
}

function checked(value: string, limit: number): string {
  if (value !== '' && Buffer.byteLength(value) <= limit) return value;
  throw new RangeError(`too long for a ustar archive, or empty: ${JSON.stringify(value)}`);
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}
