import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createNodeFiles, type DirectoryHandle, type NodeFiles } from '@rxlet/node-files';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { type Payload, writePayload } from '@rxlet/volume-manager';
import type { Answer } from '../vector-kind.ts';

interface AtomicWriterVector {
  readonly input: { readonly steps: readonly Step[] };
  readonly want: readonly Outcome[];
}

interface Step {
  readonly before?: Meddling;
  readonly payload: Readonly<Record<string, { readonly content: string; readonly mode: string }>>;
  readonly setPermsFails?: boolean;
}

/** Changes to the directory by others; paths are below it. */
interface Meddling {
  readonly remove?: string;
  readonly writeFile?: string;
  readonly content?: string;
  readonly mkdir?: string;
  readonly chmod?: string;
  readonly mode?: string;
  readonly symlink?: string;
  readonly target?: string;
}

interface Outcome {
  readonly changed: boolean;
  readonly error?: boolean;
  readonly orphans?: number;
  readonly tree: readonly TreeEntry[];
}

interface TreeEntry {
  readonly path: string;
  readonly mode?: string;
  readonly content?: string;
  readonly target?: string;
}

/** Writes the payloads, on disk and in memory. Both must leave what the kubelet left. */
export async function run({ input, want }: AtomicWriterVector): Promise<Answer> {
  const directory = await mkdtemp(join(tmpdir(), 'parity-'));
  try {
    const onDisk = await writeAll(createNodeFiles({ roots: [directory] }), `${directory}/volume`, input.steps);
    const inMemory = await writeAll(createMemoryFiles().nodeFiles, '/volume', input.steps);
    const wanted = want.map((outcome) => ({ ...outcome, tree: sorted(outcome.tree) }));
    return { got: { onDisk, inMemory }, want: { onDisk: wanted, inMemory: wanted } };
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function writeAll(files: NodeFiles, root: string, steps: readonly Step[]): Promise<Outcome[]> {
  await files.makeDirectory(root, 0o755);
  const ports = { clock: createVirtualClock(), random: seededRandom(1) };
  await using volume = (await files.openDirectory(root))!;
  const outcomes: Outcome[] = [];
  for (const { before, payload, setPermsFails } of steps) {
    if (before !== undefined) await meddle(files, volume, root, before);
    const previous = await dataLink(volume);
    let error: true | undefined;
    try {
      await writePayload(volume, payloadOf(payload), ports, async () => {
        if (setPermsFails === true) throw new Error('setting permissions failed');
      });
    } catch {
      error = true;
    }
    const current = await dataLink(volume);
    outcomes.push({ changed: current !== previous, ...(error && { error }), ...(await describe(volume, current)) });
  }
  return outcomes;
}

function payloadOf(payload: Step['payload']): Payload {
  return new Map(
    Object.entries(payload).map(([path, { content, mode }]) => [
      path,
      { content: Buffer.from(content), mode: Number.parseInt(mode, 8) },
    ]),
  );
}

async function meddle(files: NodeFiles, volume: DirectoryHandle, root: string, meddling: Meddling): Promise<void> {
  const data = await dataLink(volume);
  const at = (path: string): string =>
    `${root}/${path.replace(/\/$/, '').replace(/^\.\.data\//, `${data ?? '..data'}/`)}`;
  const { remove, writeFile, content = '', mkdir, chmod, mode = '', symlink, target = '' } = meddling;
  if (remove !== undefined) {
    const path = at(remove);
    await ignoreFailure(async () => {
      const isDirectory = (await files.stat(path))?.kind === 'directory';
      await (isDirectory ? files.removeEmptyDirectory(path) : files.removeFile(path));
    });
  }
  await ignoreFailure(async () => {
    if (writeFile !== undefined) await files.writeFile(at(writeFile), content, 0o644);
    if (mkdir !== undefined) await files.makeDirectory(at(mkdir), 0o755);
    if (chmod !== undefined) await files.chmod(at(chmod), Number.parseInt(mode, 8));
    if (symlink !== undefined) await volume.symlink(target, symlink);
  });
}

async function ignoreFailure(work: () => Promise<void>): Promise<void> {
  await work().catch(() => undefined);
}

async function dataLink(volume: DirectoryHandle): Promise<string | undefined> {
  return (await volume.stat('..data'))?.kind === 'symlink' ? volume.readLink('..data') : undefined;
}

async function describe(
  volume: DirectoryHandle,
  current: string | undefined,
): Promise<Pick<Outcome, 'orphans' | 'tree'>> {
  const tree: TreeEntry[] = [];
  let orphans = 0;
  const isVersion = (name: string): boolean => /^\.\.\d{4}_\d\d_/.test(name);
  const named = (text: string): string => {
    if (text === current && current !== undefined) return '<ts>';
    return isVersion(text) ? '<gone>' : text;
  };
  const visit = async (directory: DirectoryHandle, prefix: string): Promise<void> => {
    for (const name of await directory.list()) {
      const info = (await directory.stat(name))!;
      const isTop = prefix === '';
      if (isTop && isVersion(name) && name !== current) orphans += 1;
      else if (info.kind === 'symlink')
        tree.push({ path: prefix + name, target: named(await directory.readLink(name)) });
      else if (info.kind === 'directory') {
        const path = `${prefix}${isTop ? named(name) : name}/`;
        tree.push({ path, mode: octal(info.mode) });
        await using below = await directory.openDirectory(name);
        await visit(below!, path);
      } else {
        await using file = await directory.openFile(name);
        const content = Buffer.from(await file!.read(0, info.sizeBytes)).toString();
        tree.push({ path: prefix + name, mode: octal(info.mode), content });
      }
    }
  };
  await visit(volume, '');
  return { ...(orphans > 0 && { orphans }), tree: sorted(tree) };
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

function sorted(tree: readonly TreeEntry[]): readonly TreeEntry[] {
  return tree.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
